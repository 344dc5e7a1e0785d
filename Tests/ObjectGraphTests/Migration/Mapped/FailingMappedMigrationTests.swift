import CSQLite
import Foundation
import TestSupport
import Testing

@testable import ObjectGraph

// In the suite of saves, since only one test at a time can use the failing file system.
extension `Failing saves (§5.1)` {
    @Test(
        arguments: [
            ("full", SQLITE_FULL, false, 0), ("input and output", SQLITE_IOERR, false, 5),
            ("crash", SQLITE_IOERR, true, 9),
        ], ["WAL", "DELETE"])
    func `a mapped migration whose calls fail leaves the old store or the new one (§9.4.9)`(
        _ failure: (name: String, code: Int32, forever: Bool, first: Int), _ journal: String
    ) throws {
        FailingFileSystem.register()
        let people = MappingFixture()
        try people.makePeople { $0.pragmas = ["journal_mode": journal] }
        let mapping = try MappingFixture.mapping(
            .custom(from: "Person", to: "Contact") { person, contact, manager in
                let address = try manager.insert("Address")
                try address.setValue(person.value(forKey: "street"), forKey: "street")
                try contact.setValue(address, forKey: "address")
            }, EntityMapping(from: "Pet", to: "Animal"))
        let before = try content(people, MappingFixture.people, nil, journal)
        let after = try content(copy(of: people), MappingFixture.contacts, mapping, journal)
        #expect(before["Person 1.name"] == "Ada")
        #expect(
            after["Animal 1.owner"]
                == before["Pet 1.owner"].map { $0.replacing("Person", with: "Contact") })
        // There are hundreds of calls. Each case begins with another one.
        var number = failure.first
        var failedCount = 0
        while true {
            number += 13
            let store = try copy(of: people)
            FailingFileSystem.fail(call: number, with: failure.code, forever: failure.forever)
            let result = Result { try content(store, MappingFixture.contacts, mapping, journal) }
            let fired = FailingFileSystem.stop()
            if case .failure(let error) = result {
                failedCount += 1
                #expect(
                    error is StoreError || error is MigrationError || error is SaveError,
                    "call \(number): \(error)")
            }
            // The store is of one model or the other, and opening it removes what is left.
            let found = try? content(store, MappingFixture.people, nil, journal)
            if found != before {
                #expect(
                    try content(store, MappingFixture.contacts, nil, journal) == after,
                    "call \(number)")
            }
            #expect(
                try FileManager.default.contentsOfDirectory(atPath: store.store.folder.url.path)
                    .filter { !$0.hasPrefix("store.sqlite") }.isEmpty, "call \(number)")
            #expect(
                try content(store, MappingFixture.contacts, mapping, journal) == after,
                "call \(number)")
            if !fired { break }
            try #require(number < 4000, "the migration never gets through")
        }
        #expect(failedCount > 10, "\(failedCount) of \(number) calls made the migration fail")
    }

    private func copy(of people: MappingFixture) throws -> MappingFixture {
        let copy = MappingFixture()
        try FileManager.default.copyItem(at: people.store.url, to: copy.store.url)
        return copy
    }

    /// - Parameter mapping: Nil to open the store only if it has the model.
    private func content(
        _ people: MappingFixture, _ entities: [EntityDescription], _ mapping: MappingModel?,
        _ journal: String
    ) throws -> [String: String] {
        try people.store.open(
            entities,
            { description in
                description.vfs = FailingFileSystem.name
                description.timeout = .zero
                description.pragmas = ["journal_mode": journal]
                description.migration.isAutomatic = mapping != nil
                description.migration.mappingModels = mapping.map { [$0] } ?? []
            }
        ) { try $0.content() }
    }
}
