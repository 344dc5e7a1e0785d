import Foundation
import TestSupport
import Testing

@testable import ObjectGraph

@Suite struct `What is left out of a model file (§1.13)` {
    struct IgnoredCase: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let xml: String
        let part: String
        let words: String

        /// - Parameters:
        ///   - xml: The content of an entity. The cause is in the first line.
        ///   - part: The entity and the property that the warning names.
        init(_ description: String, _ xml: String, _ part: String, _ words: String) {
            (testDescription, self.xml) = (description, xml)
            (self.part, self.words) = (part, words)
        }
    }

    static let ignored: [IgnoredCase] = [
        IgnoredCase("an element", #"<hologram name="h"/>"#, "Thing", "'hologram'"),
        IgnoredCase(
            "an attribute", #"<attribute name="a" attributeType="String" colour="red"/>"#,
            "Thing.a", "'colour' of the element 'attribute'"),
        IgnoredCase(
            "an attribute of an index",
            #"<fetchIndex name="i" depth="3"><fetchIndexElement property="first"/></fetchIndex>"#,
            "Thing", "'depth' of the element 'fetchIndex'"),
        IgnoredCase(
            "a derived attribute without an expression",
            #"<attribute name="d" optional="YES" attributeType="String" derived="YES"/>"#,
            "Thing.d", "a derived attribute with this expression"),
        IgnoredCase(
            "encryption",
            #"<attribute name="a" attributeType="String" allowsCloudEncryption="YES"/>"#, "Thing.a",
            "allowsCloudEncryption"),
        IgnoredCase(
            "a transient relationship",
            #"<relationship name="r" transient="YES" destinationEntity="Thing"/>"#, "Thing.r",
            "a transient relationship; it is left out"),
        IgnoredCase(
            "a transformer",
            #"<attribute name="t" attributeType="Transformable" valueTransformerName="Colour"/>"#,
            "Thing.t", "there is no transformer 'Colour'"),
        IgnoredCase(
            "an index on an expression",
            #"<fetchIndex name="i"><fetchIndexElement expression="lowercase:(first)" expressionType="String"/></fetchIndex>"#,
            "Thing", "an index on an expression; the index 'i' is left out"),
        IgnoredCase(
            "an index on many objects",
            #"<fetchIndex name="i"><fetchIndexElement property="owned"/></fetchIndex>"#, "Thing",
            "'owned', which has no column"),
        IgnoredCase(
            "a constraint on a relationship",
            #"<uniquenessConstraints><uniquenessConstraint><constraint value="owner"/></uniquenessConstraint></uniquenessConstraints>"#,
            "Thing", "the relationship 'owner'"),
        IgnoredCase(
            "an order of one",
            #"<relationship name="r" ordered="YES" maxCount="1" destinationEntity="Thing"/>"#,
            "Thing.r", "an order of a to-one relationship; the mark is ignored"),
        IgnoredCase(
            "the kind of result",
            #"<fetchedProperty name="f"><fetchRequest name="r" entity="Thing" resultType="2"/></fetchedProperty>"#,
            "Thing.f", "resultType"),
    ]

    @Test func `an element of a composite stays in its row (§1.13.5)`() throws {
        let model = try ModelFolder.model(
            """
            <entity name="A"><attribute name="a" attributeType="Composite" composite="B"/></entity>
            <composite name="B"><attribute name="b" attributeType="Binary" \
            allowsExternalBinaryDataStorage="YES"/></composite>
            """)
        let element = model.attributesByName(ofEntity: "A")?["a"]?.elements.first
        #expect(element?.allowsExternalStorage == false)
        #expect(model.fileWarnings.map(\.reason) == [.externalElement])
        #expect(model.fileWarnings.first?.description.contains("stay in their rows") == true)
    }

    @Test(arguments: ignored)
    func `what is unknown or not supported is ignored with a warning (§1.13.4, §1.13.5)`(
        _ ignored: IgnoredCase
    ) throws {
        let model = try ModelFolder.model(ModelFolder.entity(with: ignored.xml))
        let warning = try #require(model.fileWarnings.first)
        #expect(model.fileWarnings.count == 1)
        #expect(warning.line == 10)
        #expect(warning.file?.lastPathComponent == "contents")
        #expect(warning.description.contains("/contents:10: \(ignored.part): "))
        #expect(warning.description.contains(ignored.words), "\(warning)")
        _ = try StoreFixture(model)
    }

    @Test func `warnings are in the order of lines, with one for each part (§1.13.4)`() throws {
        let model = try ModelFolder.model(
            """
            <hologram/>
            <entity name="A" mass="1"><attribute name="a" attributeType="UUID" \
            defaultValueString="x"/></entity>
            <entity name="B" mass="1"/>
            """)
        #expect(model.warnings.map(\.line) == [3, 4, 4, 5])
        #expect(model.warnings[0].description.contains("contents:3: the element 'hologram'"))
    }
}
