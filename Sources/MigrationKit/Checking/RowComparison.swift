import ObjectGraph

/// The rows that an entity must have and those that it has.
struct RowComparison {
    let version: String
    let entity: String
    let expected: [Row]
    let found: [Row]

    /// More than a reader wants to see of one entity.
    private static let findingLimit = 20

    /// Rows that are equal belong together. Each of the others is compared with the most similar one.
    func findings() -> [MigrationFinding] {
        let (missing, unexpected) = leftovers()
        var rest = unexpected
        var findings: [MigrationFinding] = []
        for (position, row) in missing.enumerated() {
            guard findings.count < Self.findingLimit else {
                findings.append(finding(.more(missing.count - position)))
                return findings
            }
            guard
                let place = rest.indices.max(by: {
                    rest[$0].likeness(to: row) < rest[$1].likeness(to: row)
                }),
                rest[place].likeness(to: row) > 0
            else {
                findings.append(finding(.missingRow(row.text)))
                continue
            }
            let other = rest.remove(at: place)
            for (property, value) in row.values.sorted(by: { $0.key < $1.key })
            where other.values[property] != value {
                findings.append(
                    finding(
                        .value(
                            row: other.text, found: other.values[property]?.text ?? "nil",
                            expected: value.text), property))
            }
        }
        findings += rest.prefix(Self.findingLimit).map { finding(.unexpectedRow($0.text)) }
        if rest.count > Self.findingLimit {
            findings.append(finding(.more(rest.count - Self.findingLimit)))
        }
        return findings
    }

    private func finding(
        _ problem: MigrationFinding.Problem, _ property: String? = nil
    ) -> MigrationFinding {
        MigrationFinding(version: version, entity: entity, property: property, problem: problem)
    }

    /// The rows without an equal one.
    private func leftovers() -> (missing: [Row], unexpected: [Row]) {
        var isTaken = found.map { _ in false }
        var missing: [Row] = []
        // Rows of different sources may have different properties to compare.
        for (properties, rows) in Dictionary(grouping: expected, by: { Set($0.values.keys) }) {
            var places: [[String: RowValue]: [Int]] = [:]
            for place in found.indices.reversed() where !isTaken[place] {
                let values = found[place].values.filter { properties.contains($0.key) }
                places[values, default: []].append(place)
            }
            for row in rows {
                if let place = places[row.values]?.popLast() {
                    isTaken[place] = true
                } else {
                    missing.append(row)
                }
            }
        }
        return (missing, found.indices.filter { !isTaken[$0] }.map { found[$0] })
    }
}

extension Row {
    /// The number of values that are as expected.
    fileprivate func likeness(to expected: Row) -> Int {
        expected.values.count { values[$0.key] == $0.value }
    }
}
