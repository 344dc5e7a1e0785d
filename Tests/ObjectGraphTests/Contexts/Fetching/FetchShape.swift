import Testing

@testable import ObjectGraph

/// A request and its statements, each followed by an arrow and its bindings.
struct FetchShape: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let resultType: FetchResultType
    let entity: String
    let statements: [String]
    let change: @Sendable (inout FetchRequest) throws -> Void

    init(
        _ name: String, _ resultType: FetchResultType, of entity: String, _ statements: [String],
        _ change: @escaping @Sendable (inout FetchRequest) throws -> Void = { _ in }
    ) {
        testDescription = name
        self.resultType = resultType
        self.entity = entity
        self.statements = statements
        self.change = change
    }
}

extension FetchShape {
    static let all = results + predicates + relationships

    // The columns of the fixture's rows, in the order of the properties.
    static let authorRow = "t0.ZBIRTHYEAR, t0.ZNAME, t0.Z_OPT, t0.Z_PK"
    static let topicRow = "t0.ZNAME, t0.Z_OPT, t0.Z_PK"
    static let publicationValues =
        "t0.ZAUTHOR, t0.ZRATING, t0.ZLOANCOUNT, t0.ZYEAR, t0.ZTITLE"
    static let bookRow = "t0.ZPAGECOUNT, \(publicationValues), t0.Z_OPT, t0.Z_PK"
    static let magazineRow = "t0.ZISSUE, \(publicationValues), t0.Z_OPT, t0.Z_PK"
    static let anyPublicationRow =
        "t0.ZISSUE, t0.ZPAGECOUNT, \(publicationValues), t0.Z_ENT, t0.Z_OPT, t0.Z_PK"
}
