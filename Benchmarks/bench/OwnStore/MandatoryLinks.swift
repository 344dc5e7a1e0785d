import ObjectGraph

/// Which of some rows need each other by mandatory relationships, so that they are saved together.
struct MandatoryLinks {
    private let rows: [CopiedRow]
    private let model: ManagedObjectModel
    /// For each row, the rows at the other ends of its mandatory relationships.
    private var members: [[String: [Int]]]

    init(_ rows: [CopiedRow], _ model: ManagedObjectModel) {
        self.rows = rows
        self.model = model
        members = Array(repeating: [:], count: rows.count)
        let places = Dictionary(uniqueKeysWithValues: rows.enumerated().map { ($1.id, $0) })
        for (place, row) in rows.enumerated() {
            for relationship in model.relationships(of: row.id.entityName) {
                let inverse = model.inverse(of: relationship)
                for other in row.links[relationship.name, default: []].compactMap({ places[$0] }) {
                    if relationship.isMandatory {
                        members[place][relationship.name, default: []].append(other)
                    }
                    if let inverse, inverse.isMandatory {
                        members[other][inverse.name, default: []].append(place)
                    }
                }
            }
        }
    }

    /// Whether the row has as many others as its mandatory relationships need.
    func isComplete(_ place: Int) -> Bool {
        model.relationships(of: rows[place].id.entityName).filter(\.isMandatory).allSatisfy {
            let count = members[place][$0.name, default: []].count
            return count >= max($0.minCount, 1) || $0.isOptional && count == 0
        }
    }

    /// All rows in groups. A row needs none of a later group.
    var groups: [[Int]] {
        var groups: [[Int]] = []
        var done: Set<Int> = []
        for place in rows.indices where !done.contains(place) {
            var group: [Int] = []
            var open = [place]
            while let next = open.popLast() {
                guard done.insert(next).inserted else { continue }
                group.append(next)
                open += members[next].values.joined()
            }
            groups.append(group)
        }
        return groups
    }
}

extension RelationshipDescription {
    /// Whether an object cannot be saved with too few others; with none, if it is optional.
    fileprivate var isMandatory: Bool {
        isToMany ? minCount > (isOptional ? 1 : 0) : !isOptional
    }
}
