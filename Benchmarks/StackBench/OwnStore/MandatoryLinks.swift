import ObjectGraph

/// Which of some rows need each other by mandatory relationships, so that they are saved together.
struct MandatoryLinks {
    /// A relationship that an object needs, by its name.
    private struct Need {
        var relationship: String
        /// The fewest others that it may have.
        var least: Int
        /// Whether it may also have none.
        var isOptional: Bool

        func isMet(by count: Int) -> Bool { count >= least || isOptional && count == 0 }
    }

    /// The needs of each entity, by the names of relationships.
    private let needs: [String: [Need]]
    private let entities: [String]
    /// For each row, the rows at the other ends of the relationships that it needs.
    private let members: [[String: [Int]]]
    /// For each row, those that have it as a member, and by which relationship.
    private let holders: [[(place: Int, relationship: String)]]

    init(_ rows: [CopiedRow], _ model: ManagedObjectModel) {
        entities = rows.map(\.id.entityName)
        let places = Dictionary(uniqueKeysWithValues: rows.enumerated().map { ($1.id, $0) })
        var needs: [String: [Need]] = [:]
        // The relationship and its inverse, if either is needed.
        var ends: [String: [(name: String, isNeeded: Bool, inverse: String?)]] = [:]
        for entity in Set(entities) {
            let relationships = model.relationships(of: entity)
            needs[entity] = relationships.filter(\.isMandatory).map {
                Need(relationship: $0.name, least: max($0.minCount, 1), isOptional: $0.isOptional)
            }
            ends[entity] = relationships.map { relationship in
                let inverse = model.inverse(of: relationship).flatMap {
                    $0.isMandatory ? $0.name : nil
                }
                return (relationship.name, relationship.isMandatory, inverse)
            }.filter { $0.isNeeded || $0.inverse != nil }
        }
        var members = [[String: [Int]]](repeating: [:], count: rows.count)
        var holders = [[(place: Int, relationship: String)]](repeating: [], count: rows.count)
        for (place, row) in rows.enumerated() {
            for end in ends[row.id.entityName] ?? [] {
                for other in row.links[end.name, default: []].compactMap({ places[$0] }) {
                    if end.isNeeded {
                        members[place][end.name, default: []].append(other)
                        holders[other].append((place, end.name))
                    }
                    if let inverse = end.inverse {
                        members[other][inverse, default: []].append(place)
                        holders[place].append((other, inverse))
                    }
                }
            }
        }
        self.needs = needs
        self.members = members
        self.holders = holders
    }

    /// The rows that have all that they need, in groups. A row needs none of a later group.
    var groups: [[Int]] {
        let isComplete = completeRows()
        var groups: [[Int]] = []
        var isDone = isComplete.map { !$0 }
        for place in entities.indices where !isDone[place] {
            var group: [Int] = []
            var open = [place]
            while let next = open.popLast() {
                guard !isDone[next] else { continue }
                isDone[next] = true
                group.append(next)
                // The others may come later.
                for need in needs[entities[next]] ?? [] {
                    let others = members[next][need.relationship, default: []]
                    open += others.lazy.filter { isComplete[$0] }.prefix(need.least)
                }
            }
            groups.append(group)
        }
        return groups
    }

    /// Leaves out rows that lack others, then those that lack these, and so on.
    private func completeRows() -> [Bool] {
        var counts = members.map { $0.mapValues(\.count) }
        var isComplete = [Bool](repeating: true, count: entities.count)
        var open = Array(entities.indices)
        while let place = open.popLast() {
            let isMet = (needs[entities[place]] ?? []).allSatisfy {
                $0.isMet(by: counts[place][$0.relationship, default: 0])
            }
            guard isComplete[place], !isMet else { continue }
            isComplete[place] = false
            for holder in holders[place] {
                counts[holder.place][holder.relationship, default: 0] -= 1
                open.append(holder.place)
            }
        }
        return isComplete
    }
}

extension RelationshipDescription {
    /// Whether an object cannot be saved with too few others; with none, if it is optional.
    fileprivate var isMandatory: Bool {
        isToMany ? minCount > (isOptional ? 1 : 0) : !isOptional
    }
}
