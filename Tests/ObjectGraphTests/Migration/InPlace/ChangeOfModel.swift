import Testing

@testable import ObjectGraph

/// A change of a model with the entities `Page` and `Book`, and the SQL that it takes.
struct ChangeOfModel: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let before: [EntityDescription]
    let after: [EntityDescription]
    var objects: [(entity: String, values: [String: AttributeValue])] = [
        ("Page", ["title": "one"])
    ]
    let sql: [String]
    var content: [String: String] = ["Page 1": "", "Page 1.title": "one"]

    static let fixture = MigrationFixture()
    static let title = AttributeDescription("title", .string)

    /// The entity `Page` with a title and more.
    static func page(
        _ attributes: [AttributeDescription] = [], _ relationships: [RelationshipDescription] = [],
        parent: String? = nil, unique: [[String]] = [], indexes: [FetchIndexDescription] = [],
        modifier: String? = nil
    ) -> EntityDescription {
        var page = fixture.entity(
            "Page", parent: parent, (parent == nil ? [title] : []) + attributes, relationships,
            unique: unique, indexes: indexes)
        page.versionHashModifier = modifier
        return page
    }

    static func book(
        _ relationships: [RelationshipDescription] = [], _ attributes: [AttributeDescription] = []
    ) -> EntityDescription {
        fixture.entity("Book", attributes, relationships)
    }

    /// Pages and books, related by `Page.book` or `Page.books` and by `Book.pages` or `Book.page`.
    static func library(
        pages: Bool, books: Bool = false, isOrdered: Bool = false
    ) -> [EntityDescription] {
        let (own, other) = (books ? "books" : "book", pages ? "pages" : "page")
        return [
            page(
                [],
                [
                    RelationshipDescription(
                        name: own, destination: "Book", inverse: other, maxCount: books ? 0 : 1,
                        renamingIdentifier: "book")
                ]),
            book([
                RelationshipDescription(
                    name: other, destination: "Page", inverse: own, maxCount: pages ? 0 : 1,
                    isOrdered: isOrdered, renamingIdentifier: "pages")
            ]),
        ]
    }
}
