/// The tables that one SELECT reads: its first table, and the joins for key paths.
///
/// Several terms share the join of a path. A join is inner if at least one term cannot be true
/// without the destination. Otherwise it is an outer join, which keeps the rows that have none.
struct SQLTableScope {
    private struct Join {
        let parent: Int
        /// The identifier of the to-one property.
        let identifier: UInt32
        let alias: Int
        let clause: String
        var isInner: Bool
    }

    /// The primary key of the SELECT's objects.
    let primaryKey: String
    private let entity: Entity

    /// The alias of the entity's table. Nil as long as the join table provides all that the SELECT
    /// needs.
    private var base: Int?
    private var baseClause: String?
    private var joins: [Join] = []

    init(_ entity: Entity, alias: Int) {
        self.entity = entity
        base = alias
        primaryKey = Self.name(alias) + ".Z_PK"
    }

    /// Starts from a join table with a column of the entity's primary keys.
    init(_ entity: Entity, primaryKey: String) {
        self.entity = entity
        self.primaryKey = primaryKey
    }

    static func name(_ alias: Int) -> String {
        alias < names.count ? names[alias] : "t\(alias)"
    }

    private static let names = (0..<32).map { "t\($0)" }

    /// The alias of the table at the end of a path. Adds the missing joins.
    mutating func alias(
        of steps: some Collection<Property>, _ layout: StoreLayout, isInner: Bool,
        lastAlias: inout Int
    ) -> Int {
        var alias = baseAlias(layout, lastAlias: &lastAlias)
        for step in steps {
            let destination = layout.model.destination(of: step.relationship!)
            if let known = joins.firstIndex(where: {
                $0.parent == alias && $0.identifier == step.identifier
            }) {
                if isInner { joins[known].isInner = true }
                alias = joins[known].alias
            } else {
                lastAlias += 1
                let name = Self.name(lastAlias)
                joins.append(
                    Join(
                        parent: alias, identifier: step.identifier, alias: lastAlias,
                        clause:
                            "\(layout.table(of: destination)) \(name) ON \(Self.name(alias)).\(layout.column(of: step)) = \(name).Z_PK",
                        isInner: isInner))
                alias = lastAlias
            }
        }
        return alias
    }

    private mutating func baseAlias(_ layout: StoreLayout, lastAlias: inout Int) -> Int {
        if let base { return base }
        lastAlias += 1
        let name = Self.name(lastAlias)
        baseClause = " JOIN \(layout.table(of: entity)) \(name) ON \(name).Z_PK = \(primaryKey)"
        base = lastAlias
        return lastAlias
    }

    /// Appends the joins; they follow the first table of FROM.
    func appendJoins(to text: inout SQLText) {
        if let baseClause { text.append(baseClause) }
        for join in joins {
            text.append(join.isInner ? " JOIN " : " LEFT OUTER JOIN ")
            text.append(join.clause)
        }
    }
}
