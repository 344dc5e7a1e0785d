import Foundation
import TestSupport
import Testing

@testable import ObjectGraph

@Suite struct `Damaged model files (§1.13)` {
    struct Case: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let xml: String
        let line: Int?
        let reason: ModelFileError.Reason

        /// - Parameters:
        ///   - xml: The content of the element `model`, which begins on line 3.
        ///   - line: The line of the error in the file.
        init(_ description: String, _ xml: String, line: Int?, _ reason: ModelFileError.Reason) {
            (testDescription, self.xml, self.line) = (description, xml, line)
            self.reason = reason
        }

        /// An error in an attribute of the entity `A`, on line 4.
        init(_ attributes: String, _ reason: ModelFileError.Reason) {
            self.init(
                attributes, "<entity name=\"A\">\n<attribute \(attributes)/></entity>", line: 4,
                reason)
        }
    }

    private static func unacceptable(
        _ value: String, _ attribute: String, _ expected: String
    ) -> ModelFileError.Reason {
        .unacceptableValue(value, attribute: attribute, expected: expected)
    }

    static let cases: [Case] = [
        Case(#"attributeType="String""#, .missingAttribute("name", element: "attribute")),
        Case(
            #"name="a" attributeType="Quaternion""#,
            unacceptable("Quaternion", "attributeType", "a type of attributes")),
        Case(
            #"name="a" attributeType="String" optional="true""#,
            unacceptable("true", "optional", "one of NO, YES")),
        Case(
            #"name="a" attributeType="String" minValueString="-1""#,
            unacceptable("-1", "minValueString", "a number, 0 or more")),
        Case(
            #"name="a" attributeType="Integer 16" maxValueString="99999""#,
            unacceptable("99999", "maxValueString", "a value of type integer16")),
        Case(
            #"name="a b" attributeType="String""#, .model(ModelError("A", "a b", .invalidName))),
        Case(
            #"name="hash" attributeType="String""#,
            .model(ModelError("A", "hash", .reservedName))),
        Case(
            #"name="a" optional="YES""#,
            .model(ModelError("A", "a", .persistentType(.undefined)))),
        Case(
            #"name="a" attributeType="Composite""#,
            .missingAttribute("composite", element: "attribute")),
        Case(
            #"name="a" attributeType="Composite" composite="B""#, .unknownComposite("B")),
        Case(
            "a composite within itself",
            """
            <entity name="A"><attribute name="a" attributeType="Composite" composite="B"/></entity>
            <composite name="B"><attribute name="b" attributeType="Composite" composite="C"/></composite>
            <composite name="C">
            <attribute name="c" attributeType="Composite" composite="B"/></composite>
            """, line: 6, .circularComposite(["B", "C", "B"])),
        Case(
            "a composite twice", "<composite name=\"B\"/>\n<composite name=\"B\"/>", line: 4,
            .duplicate("B", element: "composite")),
        Case(
            "an element that is transient",
            """
            <entity name="A">
            <attribute name="a" attributeType="Composite" composite="B"/></entity>
            <composite name="B"><attribute name="b" transient="YES" attributeType="Date"/></composite>
            """, line: 4, .model(ModelError("A", "a.b", .unsuitableElement("transient")))),
        Case(
            "an entity without a name", "<entity/>", line: 3,
            .missingAttribute("name", element: "entity")),
        Case(
            "an entity whose name is no word", #"<entity name="A; DROP TABLE B"/>"#, line: 3,
            .model(ModelError("A; DROP TABLE B", nil, .invalidName))),
        Case(
            "an entity twice", "<entity name=\"A\"/>\n<entity name=\"A\"/>", line: 4,
            .model(ModelError("A", nil, .duplicateEntity))),
        Case(
            "a parent that is not there", #"<entity name="A" parentEntity="B"/>"#, line: 3,
            .model(ModelError("A", nil, .unknownSuperentity("B")))),
        Case(
            "a circle of parents",
            """
            <entity name="A" parentEntity="B"><relationship name="r" destinationEntity="A" \
            inverseName="gone"/></entity>
            <entity name="B" parentEntity="A"/>
            """, line: 3, .model(ModelError("A", nil, .circularInheritance))),
        Case(
            "its own parent", #"<entity name="A" parentEntity="A"/>"#, line: 3,
            .model(ModelError("A", nil, .circularInheritance))),
        Case(
            "a relationship without a destination",
            "<entity name=\"A\">\n<relationship name=\"r\"/></entity>", line: 4,
            .missingAttribute("destinationEntity", element: "relationship")),
        Case(
            "a destination that is not there",
            "<entity name=\"A\">\n<relationship name=\"r\" destinationEntity=\"B\"/></entity>",
            line: 4, .model(ModelError("A", "r", .unknownDestination("B")))),
        Case(
            "an inverse that does not point back",
            """
            <entity name="A">
            <relationship name="r" destinationEntity="A" inverseName="s"/>
            <relationship name="s" destinationEntity="A" inverseName="s"/></entity>
            """, line: 4, .model(ModelError("A", "r", .inverseMismatch("s")))),
        Case(
            "a delete rule",
            """
            <entity name="A">
            <relationship name="r" destinationEntity="A" deletionRule="Vanish"/></entity>
            """, line: 4,
            unacceptable("Vanish", "deletionRule", "one of Cascade, Deny, No Action, Nullify")),
        Case(
            "a derivation of another kind",
            """
            <entity name="A"><attribute name="first" attributeType="String"/>
            <attribute name="a" attributeType="String" derived="YES" \
            derivationExpression="first ++ first"/></entity>
            """, line: 4, .model(ModelError("A", "a", .invalidDerivation("first ++ first")))),
        Case(
            "an index on nothing",
            """
            <entity name="A">
            <fetchIndex name="i"><fetchIndexElement property="a"/></fetchIndex></entity>
            """, line: 3, .model(ModelError("A", nil, .unknownIndexProperty("a")))),
        Case(
            "an index without elements",
            "<entity name=\"A\"><fetchIndex name=\"i\"/></entity>", line: 3,
            .model(ModelError("A", nil, .emptyIndex("i")))),
        Case(
            "a kind of index",
            """
            <entity name="A">
            <fetchIndex name="i"><fetchIndexElement property="a" type="Hash"/></fetchIndex></entity>
            """, line: 4, unacceptable("Hash", "type", "one of Binary, RTree")),
        Case(
            "a constraint on nothing",
            """
            <entity name="A"><uniquenessConstraints><uniquenessConstraint><constraint value="a"/>\
            </uniquenessConstraint></uniquenessConstraints></entity>
            """, line: 3, .model(ModelError("A", nil, .unknownConstraintAttribute("a")))),
        Case(
            "a fetched property without a request",
            "<entity name=\"A\">\n<fetchedProperty name=\"f\"/></entity>", line: 4,
            .missingElement("fetchRequest", element: "fetchedProperty")),
        Case(
            "user info without a key",
            "<entity name=\"A\"><userInfo>\n<entry value=\"v\"/></userInfo></entity>", line: 4,
            .missingAttribute("key", element: "entry")),
        Case(
            "a template of nothing",
            "<entity name=\"A\"/>\n<fetchRequest name=\"t\" entity=\"B\"/>",
            line: 4, .model(ModelError("B", nil, .unknownTemplateEntity(template: "t")))),
        Case(
            "a template twice",
            """
            <entity name="A"/><fetchRequest name="t" entity="A"/>
            <fetchRequest name="t" entity="A"/>
            """, line: 4, .duplicate("t", element: "fetchRequest")),
        Case(
            "a member that is not there",
            "\n<configuration name=\"c\"><memberEntity name=\"B\"/></configuration>", line: 4,
            .model(ModelError("B", nil, .unknownConfigurationEntity(configuration: "c")))),
        Case(
            "a configuration twice", "<configuration name=\"c\"/>\n<configuration name=\"c\"/>",
            line: 4, .duplicate("c", element: "configuration")),
    ]

    @Test(arguments: cases)
    func `an error names file and line (§1.13.9)`(_ damage: Case) throws {
        let error = try #require(ModelFolder.error(damage.xml))
        #expect(error.reason == damage.reason)
        #expect(error.line == damage.line)
        #expect(error.file?.lastPathComponent == "contents")
        #expect(error.description.contains("/contents:\(damage.line ?? 0): "))
    }

    @Test(arguments: [
        #"<fetchRequest name="t" entity="A" predicateString="a =="/>"#,
        #"<entity name="A"><fetchIndex name="i" partialIndexPredicate="a =="/></entity>"#,
    ])
    func `a predicate that cannot be parsed is an error (§1.13.9)`(_ xml: String) throws {
        let error = try #require(ModelFolder.error(xml))
        #expect(error.line == 3)
        #expect(error.code == 134060)
        #expect(error.description.contains("expected"))
    }

    @Test(arguments: [
        ("nothing", "", "empty"), ("a word", "entity", "not well-formed"),
        ("spaces", "  \n ", "not well-formed"),
        ("a text cut off", ModelFolder.document("<entity name=\"A\">"), "not well-formed"),
        ("another root", "<list/>", "the root element is 'list'"),
        ("another name", "<Model/>", "the root element is 'Model'"),
        (
            "markers of a conflict",
            ModelFolder.document("<<<<<<< HEAD\n<entity name=\"A\"/>\n=======\n>>>>>>> other"),
            "contents:3: "
        ),
        ("an entity", "<model>&nothing;</model>", "not well-formed"),
        ("an attribute twice", "<model name=\"a\" name=\"b\"/>", "not well-formed"),
        ("two roots", "<model/><model/>", "not well-formed"),
        ("words at the end", "<model/>\n<<<<<<< HEAD", "contents:2: "),
        ("a control character", "<model name=\"\u{1}\"/>", "not well-formed"),
    ])
    func `a text that is no model is an error (§1.13.9)`(
        _ damage: String, _ text: String, _ words: String
    ) throws {
        let error = try #require(throws: ModelFileError.self) {
            _ = try ModelFolder.model(ofText: text)
        }
        #expect(error.description.contains(words), "\(error)")
        #expect(error.code == 259)
    }

    @Test func `elements nested a hundred thousand deep are an error (§1.13.9)`() throws {
        let text = String(repeating: "<model>", count: 100_000)
        #expect(throws: ModelFileError.self) { _ = try ModelFolder.model(ofText: text) }
    }

    @Test func `a folder or file that is no model is an error (§1.13.9)`() throws {
        let folder = ModelFolder()
        func error(_ path: String) throws -> ModelFileError {
            try #require(throws: ModelFileError.self) {
                _ = try ManagedObjectModel(contentsOf: folder.temporary.url(path))
            }
        }
        #expect(try error("Nowhere.xcdatamodeld").reason == .missing)
        #expect(try error("Nowhere.xcdatamodeld").code == 260)
        try folder.write("", to: "Empty.xcdatamodeld/readme")
        #expect(
            try error("Empty.xcdatamodeld").reason
                == .notAModel("the folder has neither 'contents' nor a version"))
        try folder.write("", to: "Group.xcdatamodeld/One.xcdatamodel/layout")
        #expect(try error("Group.xcdatamodeld").file?.lastPathComponent == "One.xcdatamodel")
        try folder.write("", to: "Odd.xcdatamodel/contents/file")
        #expect(try error("Odd.xcdatamodel").code == 256)
    }

    @Test func `the binary format of old tools is named as such (§1.13.9)`() throws {
        let folder = ModelFolder()
        try folder.write("bplist00", to: "Old.xcdatamodel/elements")
        let url = folder.temporary.url("Old.xcdatamodel")
        let error = try #require(throws: ModelFileError.self) {
            _ = try ManagedObjectModel(contentsOf: url)
        }
        #expect(error.reason == .legacyFormat)
        #expect(error.description.contains("open it in Xcode and save it again"))
        try folder.write("bplist00", to: "Group.xcdatamodeld/Old.xcdatamodel/elements")
        #expect(throws: ModelFileError.self) {
            _ = try ManagedObjectModel(contentsOf: folder.temporary.url("Group.xcdatamodeld"))
        }
    }

    @Test func `a text with random damage is read or is an error (§1.13.9)`() throws {
        var generator = SeededGenerator.fromEnvironment()
        let text = try Array(makeLibraryModel().xcdatamodelContents().utf8)
        let words = ["<", ">", "/>", "\"", "&", "=", "YES", "-1", "entity", "\u{0}", "é", ""]
        let folder = ModelFolder()
        for _ in 0..<300 {
            var damaged = text
            for _ in 0..<generator.pick([1, 1, 2, 5]) {
                let start = Int.random(in: damaged.indices, using: &generator)
                let end = min(damaged.count, start + generator.pick([0, 1, 4, 40]))
                damaged.replaceSubrange(start..<end, with: Array(generator.pick(words).utf8))
            }
            let file = try folder.write(Data(damaged), to: "Model.xcdatamodel/contents")
            do throws(ModelFileError) {
                _ = try ManagedObjectModel(contentsOf: file)
            } catch {
                #expect(error.file == file, "TEST_SEED=\(generator.seed)")
                #expect(!error.description.isEmpty)
            }
        }
    }

    // MARK: - Hostile files

    /// Each entity is ten of the one before: a billion words in all.
    private static let billionLaughs =
        """
        <?xml version="1.0"?>
        <!DOCTYPE model [
        <!ENTITY l0 "laugh">

        """
        + (1...9).map { index in
            "<!ENTITY l\(index) \"\(String(repeating: "&l\(index - 1);", count: 10))\">\n"
        }.joined() + "]>\n<model name=\"&l9;\"/>"

    @Test(arguments: [
        billionLaughs, "<!DOCTYPE model SYSTEM \"file:///etc/passwd\"><model/>",
        "<!DOCTYPE model [<!ENTITY a SYSTEM \"file:///etc/passwd\">]><model name=\"&a;\"/>",
    ])
    func `a declaration of entities is refused unread (§1.13.10)`(_ text: String) throws {
        let error = try #require(throws: ModelFileError.self) {
            _ = try ModelFolder.model(ofText: text)
        }
        #expect(error.reason == .documentType)
        #expect(error.line == (text.hasPrefix("<?xml") ? 2 : 1))
    }

    @Test func `no encoding hides a declaration (§1.13.10)`() throws {
        let folder = ModelFolder()
        let utf16 = Data(Self.billionLaughs.utf16.flatMap { [UInt8($0 & 255), UInt8($0 >> 8)] })
        let texts: [Data] = [
            utf16, Data([0xFF, 0xFE]) + utf16, Data([0x3C, 0x6D, 0xFF]),
            Data("<?xml version=\"1.0\" encoding=\"UTF-7\"?>+ADwAIQ-DOCTYPE a+AD4-".utf8),
            Data("<?xml version='1.0' encoding = 'ISO-8859-1'?><model/>".utf8),
        ]
        for text in texts {
            let file = try folder.write(text, to: "Model.xcdatamodel/contents")
            #expect(throws: ModelFileError(.notUTF8, file: file)) {
                _ = try ManagedObjectModel(contentsOf: file)
            }
        }
    }

    @Test(arguments: ["", "\u{FEFF}", "<?xml version='1.0' encoding='utf-8'?>\n"])
    func `UTF-8 may be declared or marked (§1.13.10)`(_ start: String) throws {
        let model = try ModelFolder.model(
            ofText: start + "<model><entity name=\"Straße\"/></model>")
        #expect(model.entitiesByName.keys.sorted() == ["Straße"])
    }

    @Test(arguments: ["x", "entity", "attribute"], [249, 250, 100_000])
    func `a file of more levels than the limit is refused (§1.13.10)`(
        _ element: String, _ count: Int
    ) throws {
        let text =
            "<model>" + String(repeating: "<\(element) name=\"a\">", count: count)
            + String(repeating: "</\(element)>", count: count) + "</model>"
        let root = Result { () throws(ModelFileError) in
            try ModelElement(xml: Data(text.utf8)).name
        }
        let limit = ModelElement.maximumDepth
        #expect(
            root
                == (count < limit
                    ? .success("model") : .failure(ModelFileError(.tooDeep(limit: limit), line: 1)))
        )
        guard count > limit else { return }
        let error = #expect(throws: ModelFileError.self) {
            _ = try ModelFolder.model(ofText: text)
        }
        #expect(error?.reason == .tooDeep(limit: limit) && error?.code == 259)
    }

    @Test func `a file beyond the limit is refused (§1.13.10)`() throws {
        let folder = ModelFolder()
        let file = try folder.write("<model/>", to: "Model.xcdatamodel/contents")
        let handle = try FileHandle(forWritingTo: file)
        try handle.truncate(atOffset: UInt64(ModelFile.maximumByteCount) + 1)
        try handle.close()
        let limit = ModelFile.maximumByteCount
        #expect(throws: ModelFileError(.tooLarge(limit: limit), file: file)) {
            _ = try ManagedObjectModel(contentsOf: file)
        }
        #expect(ModelFileError(.tooLarge(limit: limit)).code == 263)
    }

    @Test func `a model may have a thousand entities (§1.13.3)`() throws {
        let entities = (0..<1000).map { index in
            """
            <entity name="E\(index)" parentEntity="\(index % 10 == 0 ? "" : "E\(index / 10 * 10)")">
                <attribute name="a\(index)" optional="YES" attributeType="String" indexed="YES"/>
                <relationship name="r\(index)" optional="YES" maxCount="1" deletionRule="Nullify" \
            destinationEntity="E\((index + 1) % 1000)"/>
            </entity>
            """
        }.joined(separator: "\n")
        let model = try ModelFolder.model(entities)
        #expect(model.entities.count == 1000)
        #expect(model.entitiesByName["E999"]?.indexes.map(\.name) == ["a999"])
    }
}
