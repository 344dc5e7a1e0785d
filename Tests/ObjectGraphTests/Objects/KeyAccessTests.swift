import Foundation
import TestSupport
import Testing

@testable import ObjectGraph

@Suite struct `Properties by their names (§2)` {
    @Test func `an integer attribute takes integers of every width`() throws {
        try StoreFixture(makeLibraryModel()).run { context in
            let specimen = try context.insert("Specimen")
            let fives: [Any] = [
                5, Int8(5), Int16(5), Int32(5), Int64(5), UInt(5), UInt8(5), UInt16(5), UInt32(5),
                UInt64(5), NSNumber(value: 5), NSNumber(value: UInt64(5)), NSNumber(value: 5.0),
                NSDecimalNumber(string: "5"),
            ]
            for five in fives {
                for key in ["integer16", "integer32", "integer64"] {
                    try specimen.setValue(nil, forKey: key)
                    try specimen.setValue(five, forKey: key)
                    let found = try specimen.value(forKey: key) as? any BinaryInteger
                    #expect(found.map { Int($0) } == 5, "\(type(of: five))")
                }
                for key in ["float", "double", "decimal"] {
                    try specimen.setValue(five, forKey: key)
                    let property = try #require(specimen.binding.entity.property(named: key))
                    #expect(specimen.attributeValue(of: property).double == 5)
                }
            }
            for one in [1, UInt8(1), NSNumber(value: true), NSNumber(value: 1)] as [Any] {
                try specimen.setValue(one, forKey: "boolean")
                #expect(try specimen.value(forKey: "boolean") as? Bool == true)
            }
            try specimen.setValue(NSNumber(value: 2.5), forKey: "double")
            #expect(try specimen.value(forKey: "double") as? Double == 2.5)
            try specimen.setValue(NSDecimalNumber(string: "2.50"), forKey: "decimal")
            #expect(try specimen.value(forKey: "decimal") as? Decimal == Decimal(string: "2.5"))
        }
    }

    @Test func `a number that does not fit is refused`() throws {
        try StoreFixture(makeLibraryModel()).run { context in
            let specimen = try context.insert("Specimen")
            let numbers: [(Any, String)] = [
                (UInt64.max, "integer64"), (NSNumber(value: UInt64.max), "integer64"),
                (NSNumber(value: 2.5), "integer16"), (NSNumber(value: 5), "string"),
                (UInt8(2), "boolean"),
            ]
            for (number, key) in numbers {
                #expect(throws: PropertyError.self) { try specimen.setValue(number, forKey: key) }
                #expect(try specimen.value(forKey: key) == nil)
            }
        }
    }

    @Test func `a value comes as the attribute's own type`() throws {
        try StoreFixture(makeLibraryModel()).run { context in
            let specimen = try context.insert(
                "Specimen",
                ["integer16": 1, "integer32": 2, "integer64": 3, "float": 0.5, "double": 1.5])
            func check() throws {
                #expect(try specimen.value(forKey: "integer16") as? Int16 == 1)
                #expect(try specimen.value(forKey: "integer32") as? Int32 == 2)
                #expect(try specimen.value(forKey: "integer64") as? Int64 == 3)
                #expect(try specimen.value(forKey: "float") as? Float == 0.5)
                #expect(try specimen.value(forKey: "double") as? Double == 1.5)
            }
            try check()
            #expect(specimen.changedValues()["integer16"] as? Int16 == 1)
            try context.save()
            try check()
            #expect(specimen.committedValues(forKeys: ["float"])["float"] as? Float == 0.5)
        }
    }

    @Test func `values of several keys at once`() throws {
        try StoreFixture.notebook().run { context in
            let notebook = try context.insert("Notebook")
            let note = try context.insert("Note")
            try note.setValuesForKeys([
                "text": "Dune", "count": 3, "notebook": notebook, "mood": nil,
            ])
            let values = try note.dictionaryWithValues(
                forKeys: ["text", "count", "mood", "notebook"])
            #expect(values.keys.contains("mood") && values["mood"].flatMap { $0 } == nil)
            #expect(values["text"] as? String == "Dune" && values["count"] as? Int32 == 3)
            #expect(values["notebook"] as? ManagedObject === notebook)
            for wrong in [["text": "x", "weight": 1], ["text": "x", "count": "y"]]
                as [[String: Any?]]
            {
                #expect(throws: PropertyError.self) { try note.setValuesForKeys(wrong) }
            }
            #expect(try note.value(forKey: "text") as? String == "Dune", "all or nothing")
            #expect(throws: PropertyError.self) {
                try note.dictionaryWithValues(forKeys: ["text", "weight"])
            }
        }
    }

    @Test func `a key path leads through relationships`() throws {
        try StoreFixture.notebook().run { context in
            let notebook = try context.insert("Notebook", ["title": "hall"])
            let notes = try ["b", "a"].enumerated().map {
                try context.insert("Note", ["text": $1, "count": $0 + 1, "notebook": notebook])
            }
            let stray = try context.insert("Note")
            #expect(try notes[0].value(forKeyPath: "notebook.title") as? String == "hall")
            #expect(try notes[0].value(forKeyPath: "text") as? String == "b")
            #expect(try notes[0].value(forKeyPath: "notebook") as? ManagedObject === notebook)
            #expect(try stray.value(forKeyPath: "notebook.title") == nil)
            #expect(try notebook.value(forKeyPath: "notes.text") as? [String] == ["b", "a"])
            #expect(try notebook.value(forKeyPath: "notes.count") as? [Int32] == [1, 2])
            #expect(try notebook.value(forKeyPath: "notes") as? [ManagedObject] == notes)
            #expect(try notes[1].value(forKeyPath: "notebook.notes.@count") as? Int64 == 2)
            #expect(try notebook.value(forKeyPath: "notes.@sum.count") as? Double == 3)
            #expect(try notebook.value(forKeyPath: "notes.@max.count") as? Int32 == 2)
            #expect(
                try notebook.value(forKeyPath: "objectID") as? ManagedObjectID
                    == notebook.objectID)
            for wrong in [
                "notebook.colour", "text.x", "notebook.notes.notebook.notes", "notes.@best.x", "",
            ] {
                #expect(throws: FetchError.self) { try notes[0].value(forKeyPath: wrong) }
                #expect(throws: FetchError.self) { try stray.value(forKeyPath: wrong) }
            }
        }
    }
}
