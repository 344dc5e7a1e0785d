import Foundation
import TestSupport
import Testing

@testable import ObjectGraph

@Suite struct `Reading a model file (§1.13)` {
    private static func rule(_ format: String, _ code: Int) throws -> ValidationRule {
        ValidationRule(try ObjectPredicate(format), .code(code))
    }

    // MARK: - Attributes

    struct AttributeCase: CustomTestStringConvertible, Sendable {
        let xml: String
        let expected: AttributeDescription
        var testDescription: String { xml }

        init(_ xml: String, _ expected: AttributeDescription) {
            (self.xml, self.expected) = (xml, expected)
        }

        /// A mandatory attribute with a default value.
        init(_ type: String, _ text: String, _ expected: AttributeType, _ value: AttributeValue?) {
            let name = expected == .date ? "defaultDateTimeInterval" : "defaultValueString"
            self.init(
                #"attributeType="\#(type)" \#(name)="\#(text)""#,
                AttributeDescription("a", expected, isOptional: false, defaultValue: value))
        }
    }

    private static let uuid = UUID(uuidString: "A9E2B41E-0D5C-4C5B-9E6C-1D6C6A3D7B11")!

    static let attributes: [AttributeCase] = [
        AttributeCase("", AttributeDescription("a", .undefined, isOptional: false)),
        AttributeCase(
            #"attributeType="String" optional="YES""#, AttributeDescription("a", .string)),
        AttributeCase(
            #"attributeType="String" optional="NO""#,
            AttributeDescription("a", .string, isOptional: false)),
        AttributeCase(
            #"optional="YES" transient="YES""#,
            AttributeDescription("a", .undefined, isTransient: true)),
        AttributeCase(
            #"attributeType="String" optional="YES" transient="NO" syncable="YES""#,
            AttributeDescription("a", .string)),
        AttributeCase(
            #"attributeType="Binary" allowsExternalBinaryDataStorage="YES""#,
            AttributeDescription("a", .binaryData, isOptional: false, allowsExternalStorage: true)),
        AttributeCase(
            #"attributeType="String" preserveAfterDeletion="YES""#,
            AttributeDescription(
                "a", .string, isOptional: false, preservesValueInHistoryOnDeletion: true)),
        AttributeCase(
            #"attributeType="Transformable" customClassName="[String]""#,
            AttributeDescription("a", .transformable, isOptional: false)),
        AttributeCase(
            #"attributeType="Transformable" valueTransformerName="""#,
            AttributeDescription("a", .transformable, isOptional: false)),
        AttributeCase(
            #"attributeType="Transformable" valueTransformerName="NSSecureUnarchiveFromData""#,
            AttributeDescription(
                "a", .transformable, isOptional: false, transformer: .propertyList)),
        AttributeCase(
            #"attributeType="String" valueTransformerName="Colour""#,
            AttributeDescription("a", .string, isOptional: false)),
        AttributeCase(
            #"attributeType="String" elementID="b" versionHashModifier="2""#,
            AttributeDescription(
                "a", .string, isOptional: false, renamingIdentifier: "b", versionHashModifier: "2")),
        AttributeCase(
            #"attributeType="String" elementID="a""#,
            AttributeDescription("a", .string, isOptional: false)),
        AttributeCase(
            #"attributeType="String" usesScalarValueType="NO" storedInTruthFile="YES" spotlightIndexingEnabled="YES""#,
            AttributeDescription("a", .string, isOptional: false)),
        AttributeCase("Integer 16", "-1", .integer16, -1),
        AttributeCase("Integer 32", "NO", .integer32, 0),
        AttributeCase("Integer 32", "100", .integer32, 100),
        AttributeCase("Integer 64", "9223372036854775807", .integer64, .integer(.max)),
        AttributeCase("Integer 64", "2.0", .integer64, 2),
        AttributeCase("Decimal", "0.1", .decimal, .decimal(Decimal(string: "0.1")!)),
        AttributeCase("Double", "0", .double, 0.0),
        AttributeCase("Double", "1e-3", .double, 0.001),
        AttributeCase("Float", "0.5", .float, 0.5),
        AttributeCase("String", "", .string, ""),
        AttributeCase("String", " ", .string, " "),
        AttributeCase("String", "&lt;a&gt; &amp; &quot;b&quot;&#10;", .string, "<a> & \"b\"\n"),
        AttributeCase("Boolean", "YES", .boolean, true),
        AttributeCase("Boolean", "NO", .boolean, false),
        AttributeCase("Boolean", "0", .boolean, false),
        AttributeCase("Boolean", "100", .boolean, true),
        AttributeCase(
            "Date", "0", .date, .date(Date(timeIntervalSinceReferenceDate: 0))),
        AttributeCase(
            "Date", "-0.5", .date, .date(Date(timeIntervalSinceReferenceDate: -0.5))),
        AttributeCase("UUID", "A9E2B41E-0D5C-4C5B-9E6C-1D6C6A3D7B11", .uuid, .uuid(uuid)),
        AttributeCase(
            "URI", "https://example.org/a?b", .uri, .uri(URL(string: "https://example.org/a?b")!)),
    ]

    @Test(arguments: attributes)
    func `an attribute has what its element says, and defaults (§1.13.3)`(
        _ attribute: AttributeCase
    ) throws {
        // A persistent attribute has a type, so the others are transient here.
        let isTransient = attribute.expected.type == .undefined ? #"transient="YES""# : ""
        let xml = attribute.xml.contains("transient=") ? attribute.xml : attribute.xml + isTransient
        let model = try ModelFolder.model(
            #"<entity name="Thing"><attribute name="a" \#(xml)/></entity>"#)
        var expected = attribute.expected
        if expected.type == .undefined { expected.isTransient = true }
        #expect(model.entitiesByName["Thing"]?.attributes == [expected])
        #expect(model.warnings.isEmpty)
    }

    @Test(arguments: [
        (
            "Integer 16", #"minValueString="1" maxValueString="9""#, "SELF >= 1", 1620, "SELF <= 9",
            1610
        ),
        (
            "Double", #"minValueString="0" maxValueString="1.5""#, "SELF >= 0.0", 1620,
            "SELF <= 1.5", 1610
        ),
        (
            "String", #"minValueString="2" maxValueString="15""#, "length >= 2", 1670,
            "length <= 15", 1660
        ),
        (
            "Date", #"minDateTimeInterval="0" maxDateTimeInterval="86400""#,
            "SELF >= CAST(0.0, 'NSDate')", 1640, "SELF <= CAST(86400.0, 'NSDate')", 1630
        ),
        (
            "Decimal", #"minValueString="0.1" maxValueString="5""#,
            "SELF >= CAST('0.1', 'NSDecimalNumber')", 1620, "SELF <= CAST('5', 'NSDecimalNumber')",
            1610
        ),
    ])
    func `bounds are validation rules with Core Data's codes (§1.13.3)`(
        _ type: String, _ xml: String, _ least: String, _ tooLittle: Int, _ most: String,
        _ tooMuch: Int
    ) throws {
        let model = try ModelFolder.model(
            #"<entity name="Thing"><attribute name="a" attributeType="\#(type)" \#(xml)/></entity>"#
        )
        #expect(
            model.entitiesByName["Thing"]?.attributes[0].validationRules
                == [try Self.rule(least, tooLittle), try Self.rule(most, tooMuch)])
    }

    @Test func `a pattern must match the whole string (§1.13.3)`() throws {
        let model = try ModelFolder.model(
            """
            <entity name="Thing">
                <attribute name="a" attributeType="String" regularExpressionString="[a-z]+"/>
            </entity>
            """)
        let store = try StoreFixture(model)
        try store.run { context in
            let thing = try context.insert("Thing", ["a": "abc"])
            #expect(try context.validationErrors().isEmpty)
            try thing.setValue("abc1", forKey: "a")
            #expect(try context.validationErrors().map(\.code) == [1680])
        }
    }

    @Test(arguments: [
        ("UUID", "empy"), ("Integer 16", "40000"), ("Integer 16", "one"), ("Boolean", "maybe"),
        ("Decimal", "12 or so"), ("Double", "nan"), ("Binary", "0"), ("Transformable", "0"),
    ])
    func `a default of another type is left out with a warning (§1.13.5)`(
        _ type: String, _ text: String
    ) throws {
        let model = try ModelFolder.model(
            """
            <entity name="Thing">
                <attribute name="a" attributeType="\(type)" defaultValueString="\(text)"/>
            </entity>
            """)
        #expect(model.entitiesByName["Thing"]?.attributes[0].defaultValue == nil)
        let warning = try #require(model.warnings.first)
        #expect(warning.reason == .unreadableDefault(text))
        #expect(warning.line == 4)
        #expect(warning.description.contains("contents:4: Thing.a: "))
    }

    // MARK: - Relationships

    struct RelationshipCase: CustomTestStringConvertible, Sendable {
        let xml: String
        let expected: RelationshipDescription
        var testDescription: String { xml }

        init(
            _ xml: String, maxCount: Int, isOptional: Bool = false,
            _ change: (inout RelationshipDescription) -> Void = { _ in }
        ) {
            self.xml = xml
            var expected = RelationshipDescription(
                name: "r", destination: "Thing", maxCount: maxCount, isOptional: isOptional)
            change(&expected)
            self.expected = expected
        }
    }

    static let relationships: [RelationshipCase] = [
        RelationshipCase("", maxCount: 1),
        RelationshipCase(#"maxCount="1" deletionRule="Nullify""#, maxCount: 1),
        RelationshipCase(#"optional="YES""#, maxCount: 1, isOptional: true),
        RelationshipCase(#"toMany="YES""#, maxCount: 0),
        RelationshipCase(
            #"optional="YES" toMany="YES" maxCount="2" deletionRule="Cascade""#, maxCount: 2,
            isOptional: true
        ) { $0.deleteRule = .cascade },
        RelationshipCase(#"toMany="YES" ordered="YES" deletionRule="Deny""#, maxCount: 0) {
            ($0.isOrdered, $0.deleteRule) = (true, .deny)
        },
        RelationshipCase(#"minCount="1" maxCount="1" deletionRule="No Action""#, maxCount: 1) {
            ($0.minCount, $0.deleteRule) = (1, .noAction)
        },
        RelationshipCase(#"deleteRule="Cascade""#, maxCount: 1) { $0.deleteRule = .cascade },
        RelationshipCase(
            #"elementID="old" versionHashModifier="" indexed="YES" syncable="YES""#, maxCount: 1
        ) { ($0.renamingIdentifier, $0.versionHashModifier) = ("old", "") },
    ]

    @Test(arguments: relationships)
    func `a relationship has what its element says, and defaults (§1.13.3)`(
        _ relationship: RelationshipCase
    ) throws {
        let model = try ModelFolder.model(
            """
            <entity name="Thing">
                <relationship name="r" destinationEntity="Thing" \(relationship.xml)/>
            </entity>
            """)
        #expect(model.entitiesByName["Thing"]?.relationships == [relationship.expected])
        #expect(model.warnings.map(\.reason) == [.noInverse])
    }

    @Test func `an inverse may be declared by an ancestor of the destination (§1.13.3)`() throws {
        let model = try ModelFolder.model(
            """
            <entity name="Book" parentEntity="Publication"/>
            <entity name="Author">
                <relationship name="works" toMany="YES" destinationEntity="Publication" \
            inverseName="author" inverseEntity="Publication"/>
            </entity>
            <entity name="Publication" isAbstract="YES">
                <relationship name="author" maxCount="1" destinationEntity="Author" \
            inverseName="works" inverseEntity="Author"/>
            </entity>
            """)
        #expect(model.entitiesByName["Book"]?.superentity == "Publication")
        #expect(model.entitiesByName["Author"]?.relationships[0].inverse == "author")
        #expect(model.warnings.isEmpty)
    }

    @Test func `an inverse that does not exist is none, with a warning (§1.13.6)`() throws {
        let model = try ModelFolder.model(
            """
            <entity name="Thing">
                <relationship name="r" destinationEntity="Thing" inverseName="gone" \
            inverseEntity="Thing"/>
            </entity>
            """)
        #expect(model.entitiesByName["Thing"]?.relationships[0].inverse == nil)
        let warning = try #require(model.warnings.first)
        #expect(warning.reason == .danglingInverse("gone"))
        #expect(warning.line == 4)
        #expect((warning.entityName, warning.propertyName) == ("Thing", "r"))
    }

    // MARK: - Entities

    @Test func `an entity has what its element says, and defaults (§1.13.3)`() throws {
        let model = try ModelFolder.model(
            """
            <entity name="Plain"/>
            <entity name="Full" representedClassName="Library.Book" parentEntity="Plain" \
            isAbstract="YES" elementID="Old" versionHashModifier="2" syncable="YES" \
            codeGenerationType="class">
                <userInfo>
                    <entry key="a" value="b"/>
                    <entry key="c"/>
                </userInfo>
            </entity>
            """)
        let plain = try #require(model.entitiesByName["Plain"])
        #expect(plain.managedObjectClass == nil && plain.managedObjectClassName == nil)
        #expect(plain.superentity == nil && !plain.isAbstract && plain.userInfo.isEmpty)
        #expect(plain.renamingIdentifier == nil && plain.versionHashModifier == nil)
        let full = try #require(model.entitiesByName["Full"])
        #expect(full.managedObjectClassName == "Library.Book")
        #expect(full.superentity == "Plain" && full.isAbstract)
        #expect(full.renamingIdentifier == "Old" && full.versionHashModifier == "2")
        #expect(full.userInfo == ["a": "b", "c": ""])
    }

    @Test
    func `user info belongs to attributes, relationships and fetched properties too (§1.13.3)`()
        throws
    {
        let info = #"<userInfo><entry key="k" value="v"/></userInfo>"#
        let model = try ModelFolder.model(
            """
            <entity name="Thing">
                <attribute name="a" attributeType="String">\(info)</attribute>
                <relationship name="r" destinationEntity="Thing">\(info)</relationship>
                <fetchedProperty name="f" optional="YES">
                    <fetchRequest name="fetchedPropertyFetchRequest" entity="Thing" \
            predicateString="a == $FETCH_SOURCE.a"/>\(info)
                </fetchedProperty>
                <fetchedProperty name="all">
                    <fetchRequest name="fetchedPropertyFetchRequest" entity="Thing"/>
                </fetchedProperty>
            </entity>
            """)
        let thing = try #require(model.entitiesByName["Thing"])
        #expect(thing.attributes[0].userInfo == ["k": "v"])
        #expect(thing.relationships[0].userInfo == ["k": "v"])
        #expect(thing.fetchedProperties[0].userInfo == ["k": "v"])
        #expect(
            thing.fetchedProperties[0].request
                == FetchRequest(
                    entityName: "Thing", predicate: try ObjectPredicate("a == $FETCH_SOURCE.a")))
        #expect(thing.fetchedProperties[1].request == FetchRequest(entityName: "Thing"))
    }

    // MARK: - The model

    @Test func `configurations and templates belong to the model (§1.13.3)`() throws {
        let model = try ModelFolder.model(
            """
            <entity name="Book"><attribute name="title" attributeType="String"/></entity>
            <entity name="Author"/>
            <configuration name="Books" usedWithCloudKit="YES"><memberEntity name="Book"/></configuration>
            <configuration name="None"/>
            <fetchRequest name="titled" entity="Book" predicateString="title == $TITLE"/>
            <fetchRequest name="all" entity="Book" fetchLimit="5" fetchBatchSize="2" \
            includeSubentities="NO" includePropertyValues="NO" includesPendingChanges="NO" \
            returnObjectsAsFaults="NO" returnDistinctResults="YES" resultType="0"/>
            <elements><element name="Book" positionX="-63" width="128"/></elements>
            """)
        #expect(model.configurations == ["Books": ["Book"], "None": []])
        let titled = FetchRequest(
            entityName: "Book", predicate: try ObjectPredicate("title == $TITLE"))
        var all = FetchRequest(entityName: "Book")
        (all.fetchLimit, all.fetchBatchSize) = (5, 2)
        (all.includesSubentities, all.includesPropertyValues) = (false, false)
        (all.includesPendingChanges, all.returnsObjectsAsFaults) = (false, false)
        all.returnsDistinctResults = true
        #expect(model.fetchRequestTemplatesByName == ["titled": titled, "all": all])
        #expect(model.warnings.isEmpty)
    }

    static let identifiers: [(String, Set<String>)] = [
        (#"userDefinedModelVersionIdentifier="1.0""#, ["1.0"]),
        (#"userDefinedModelVersionIdentifier="""#, [""]), ("", []),
    ]

    @Test(arguments: identifiers)
    func `the version identifier may be empty or absent (§1.13.3)`(
        _ xml: String, _ expected: Set<String>
    ) throws {
        let model = try ModelFolder.model(ofText: "<model \(xml)/>")
        #expect(model.versionIdentifiers == expected)
        #expect(model.entitiesByName.isEmpty)
    }

    // MARK: - Classes and transformers

    @Test(arguments: [
        #"name="Book""#, #"name="Book" representedClassName="Book""#,
        #"name="Book" representedClassName=".Book""#,
        #"name="Book" representedClassName="Library.Book""#,
        #"name="Volume" representedClassName="TestSupport.Book""#,
        #"name="Book" representedClassName="NSManagedObject""#,
    ])
    func `a class is found by its name or that of the entity (§1.13.7)`(_ xml: String) throws {
        let model = try ModelFolder.model("<entity \(xml)/>", classes: [Author.self, Book.self])
        #expect(model.entitiesByName.values.first?.managedObjectClass == Book.self)
        #expect(model.warnings.map(\.reason) == [.unusedClass("Author")])
    }

    @Test func `a transformer is found by its name (§1.13.8)`() throws {
        let colour = ValueTransformer.codable(String.self)
        let model = try ModelFolder.model(
            """
            <entity name="Thing">
                <attribute name="t" attributeType="Transformable" \
            valueTransformerName="\(colour.name.replacing("<", with: "&lt;"))"/>
            </entity>
            """, transformers: [colour])
        #expect(model.entitiesByName["Thing"]?.attributes[0].transformer == colour)
        #expect(model.warnings.isEmpty)
    }

    @Test func `without the transformer a value is its stored data (§1.13.8)`() throws {
        let store = try StoreFixture(
            ModelFolder.model(
                """
                <entity name="Thing">
                    <attribute name="t" attributeType="Transformable" valueTransformerName="Colour"/>
                </entity>
                """))
        try store.run { context in
            try context.insert("Thing", ["t": Data([1, 2, 3])])
            try context.save()
            context.reset()
            let thing = try #require(try context.all("Thing").first)
            #expect(try thing.value(forKey: "t") as? Data == Data([1, 2, 3]))
            #expect(throws: PropertyError.self) { try thing.setValue("red", forKey: "t") }
        }
        #expect(try store.sql("SELECT hex(ZT) FROM ZTHING") == [["010203"]])
    }
}
