import Foundation
import TestSupport
import Testing

@testable import ObjectGraph

@Suite struct `Indexes of a model file (§1.13)` {
    struct IndexCase: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let xml: String
        let expected: [FetchIndexDescription]

        init(_ description: String, _ xml: String, _ expected: FetchIndexDescription...) {
            (testDescription, self.xml, self.expected) = (description, xml, expected)
        }
    }

    static let indexes: [IndexCase] = [
        IndexCase(
            "two elements",
            """
            <fetchIndex name="byNames">
                <fetchIndexElement property="first" type="Binary" order="ascending"/>
                <fetchIndexElement property="last" type="Binary" order="descending"/>
            </fetchIndex>
            """,
            FetchIndexDescription(
                "byNames", elements: [.init("first"), .init("last", isAscending: false)])),
        IndexCase(
            "a to-one relationship, without type and order",
            #"<fetchIndex name="i"><fetchIndexElement property="owner"/></fetchIndex>"#,
            FetchIndexDescription("i", on: "owner")),
        IndexCase(
            "the same twice",
            """
            <fetchIndex name="i"><fetchIndexElement property="first"/></fetchIndex>
            <fetchIndex name="I"><fetchIndexElement property="first"/></fetchIndex>
            """,
            FetchIndexDescription("i", on: "first")),
        IndexCase(
            "two of one name",
            """
            <fetchIndex name="i"><fetchIndexElement property="first"/></fetchIndex>
            <fetchIndex name="i"><fetchIndexElement property="last"/></fetchIndex>
            """,
            FetchIndexDescription("i", on: "first"), FetchIndexDescription("i1", on: "last")),
        IndexCase(
            "an r-tree",
            """
            <fetchIndex name="place">
                <fetchIndexElement property="x" type="RTree" order="ascending"/>
                <fetchIndexElement property="y" type="RTree" order="ascending"/>
            </fetchIndex>
            """,
            FetchIndexDescription("place", elements: [.init("x"), .init("y")], kind: .rTree)),
        IndexCase(
            "a condition",
            """
            <fetchIndex name="i" partialIndexPredicate="x &gt; 1">
                <fetchIndexElement property="first"/>
            </fetchIndex>
            """,
            FetchIndexDescription(
                "i", elements: [.init("first")], partialIndexPredicate: "x > 1")),
        IndexCase(
            "an indexed attribute",
            #"<attribute name="old" attributeType="String" indexed="YES"/>"#,
            FetchIndexDescription("old", on: "old")),
        IndexCase(
            "an indexed attribute that an index is named after",
            """
            <attribute name="old" attributeType="String" indexed="YES"/>
            <fetchIndex name="Old"><fetchIndexElement property="first"/></fetchIndex>
            """,
            FetchIndexDescription("Old", on: "first")),
        IndexCase(
            "an indexed transient attribute",
            #"<attribute name="t" attributeType="String" transient="YES" indexed="YES"/>"#),
        IndexCase(
            "a list of names",
            """
            <compoundIndexes>
                <compoundIndex><index value="first"/><index value="last"/></compoundIndex>
                <compoundIndex><index value="x"/></compoundIndex>
            </compoundIndexes>
            """,
            FetchIndexDescription("first_last", on: "first", "last"),
            FetchIndexDescription("x", on: "x")),
    ]

    @Test(arguments: indexes)
    func `indexes have three forms (§1.13.3)`(_ index: IndexCase) throws {
        let model = try ModelFolder.model(ModelFolder.entity(with: index.xml))
        #expect(model.entitiesByName["Thing"]?.indexes == index.expected)
        #expect(model.warnings.isEmpty)
        _ = try StoreFixture(model)
    }

    @Test func `full-text indexes are user information (§7.9.12)`() throws {
        let entry = #"<entry key="fullText.words" value="first last"/>"#
        let model = try ModelFolder.model(
            ModelFolder.entity(with: "<userInfo>\(entry)</userInfo>"))
        let thing = try #require(model.entitiesByName["Thing"])
        #expect(thing.indexes == [.fullText("words", on: "first", "last")])
        #expect(thing.userInfo.isEmpty && model.warnings.isEmpty)
        #expect(try model.xcdatamodelContents().contains(entry))
    }

    @Test func `a uniqueness constraint is a list of attributes (§1.13.3)`() throws {
        let model = try ModelFolder.model(
            ModelFolder.entity(
                with: """
                    <uniquenessConstraints>
                        <uniquenessConstraint>
                            <constraint value="first"/>
                            <constraint value="last"/>
                        </uniquenessConstraint>
                        <uniquenessConstraint><constraint value="x"/></uniquenessConstraint>
                    </uniquenessConstraints>
                    """))
        #expect(
            model.entitiesByName["Thing"]?.uniquenessConstraints == [["first", "last"], ["x"]])
    }
}
