/// The triggers for a number of the members of a to-many relationship: their count, or the sum,
/// minimum or maximum of an attribute (spec §1.4).
///
/// A change of a member costs one addition or comparison. The number is computed again from all
/// members only when the minimum or maximum leaves, or when a sum of real numbers shrinks by more
/// than half: what is left of it could otherwise be rounding errors.
struct DerivedSummary {
    private let summary: Derivation.Summary
    private let isReal: Bool
    private let owner: String
    private let members: String

    /// The column with the number.
    private let column: String

    /// The column with the members' values; nil for a count.
    private let source: String?
    private(set) var triggers: [DerivedTrigger] = []

    /// SQL for the number in any row of the owner's table.
    private(set) var expression = ""

    /// - Parameters:
    ///   - summary: Which number.
    ///   - property: The relationship.
    ///   - key: The members' attribute; nil for a count.
    ///   - result: The derived attribute.
    ///   - layout: The names of tables and columns.
    ///   - owner: The table of the derived attribute.
    init(
        _ summary: Derivation.Summary, of property: Property, _ key: String?, as result: Property,
        _ layout: StoreLayout, owner: String
    ) {
        let destination = layout.model.destination(of: property.relationship!)
        self.summary = summary
        self.owner = owner
        isReal = result.attributeType?.slotKind == .real
        members = layout.table(of: destination)
        column = layout.column(of: result)
        source = key.map { layout.column(of: destination.property(named: $0)!) }
        switch property.relationship!.storage {
        case .inverseForeignKey(let index):
            addForeignKey(layout.column(of: destination.properties[index]))
        case .joinTable(let end):
            let join = layout.joinTable(end)
            if join.isInRows { addForeignKey(join.sourceColumn) } else { addJoinTable(join) }
        case .foreignKey: preconditionFailure("a to-one relationship has no members")
        }
    }

    // MARK: - Members that refer to their owner

    private mutating func addForeignKey(_ foreignKey: String) {
        let (new, old) = ("NEW.\(foreignKey)", "OLD.\(foreignKey)")
        let (newValue, oldValue) = (source.map { "NEW.\($0)" }, source.map { "OLD.\($0)" })
        func total(_ key: String) -> String {
            self.total(of: "\(members) m WHERE m.\(foreignKey) = \(key)")
        }
        expression = total("\(owner).Z_PK")
        add("SOURCE_INSERT", "INSERT", on: owner, owner: "NEW.Z_PK", total("NEW.Z_PK"))
        // The trigger above counts a row that is its own owner.
        add(
            "PARAMETER_INSERT", "INSERT", on: members, owner: new,
            when: owner == members ? "\(new) <> NEW.Z_PK" : nil, adding(newValue))
        let moves = "\(new) IS NOT \(old)"
        if let source {
            add(
                "PARAMETER_UPDATE_INCREMENT", "UPDATE OF \(foreignKey), \(source)", on: members,
                owner: new, when: "(\(moves) OR NEW.\(source) IS NOT OLD.\(source))",
                """
                CASE WHEN \(moves) THEN \(adding(newValue)) \
                ELSE \(changing(to: "NEW.\(source)", from: "OLD.\(source)", total(new))) END
                """)
        } else {
            add(
                "PARAMETER_UPDATE_INCREMENT", "UPDATE OF \(foreignKey)", on: members, owner: new,
                when: moves, adding(nil))
        }
        add(
            "PARAMETER_UPDATE_DECREMENT", "UPDATE OF \(foreignKey)", on: members, owner: old,
            when: moves, removing(oldValue, total(old)))
        add(
            "PARAMETER_DELETE", "DELETE", on: members, owner: old,
            removing(oldValue, total(old)))
    }

    // MARK: - Members in pairs

    private mutating func addJoinTable(_ join: JoinTable) {
        let (owners, key) = (join.sourceColumn, join.destinationColumn)
        func total(_ owner: String) -> String {
            self.total(
                of:
                    "\(join.name) j JOIN \(members) m ON m.Z_PK = j.\(key) WHERE j.\(owners) = \(owner)"
            )
        }
        // A member whose row is gone has no value and is not counted.
        func value(_ row: String) -> String {
            let value = source.map { "m.\($0)" } ?? "1"
            return "(SELECT \(value) FROM \(members) m WHERE m.Z_PK = \(row).\(key))"
        }
        expression = total("\(owner).Z_PK")
        add("SOURCE_INSERT", "INSERT", on: owner, owner: "NEW.Z_PK", total("NEW.Z_PK"))
        add(
            "PARAMETER_INSERT", "INSERT", on: join.name, owner: "NEW.\(owners)",
            adding(value("NEW")))
        add(
            "PARAMETER_DELETE", "DELETE", on: join.name, owner: "OLD.\(owners)",
            removing(value("OLD"), total("OLD.\(owners)")))
        func rows(_ member: String) -> String {
            "Z_PK IN (SELECT j.\(owners) FROM \(join.name) j WHERE j.\(key) = \(member))"
        }
        if let source {
            let (new, old) = ("NEW.\(source)", "OLD.\(source)")
            triggers.append(
                DerivedTrigger(
                    "PARAMETER_UPDATE", after: "UPDATE OF \(source)", on: members,
                    when: "\(new) IS NOT \(old)", rows: rows("NEW.Z_PK"),
                    value: changing(to: new, from: old, expression)))
        }
        // The pairs of a deleted member are removed later, or remain.
        triggers.append(
            DerivedTrigger(
                "PARAMETER_DELETE", after: "DELETE", on: members, rows: rows("OLD.Z_PK"),
                value: removing(source.map { "OLD.\($0)" }, expression)))
    }

    // MARK: - SQL

    /// Adds a trigger that changes one owner, if there is one.
    private mutating func add(
        _ role: String, _ event: String, on table: String, owner: String,
        when condition: String? = nil, _ value: String
    ) {
        let exists = owner == "NEW.Z_PK" ? nil : "\(owner) IS NOT NULL"
        let conditions = [exists, condition].compactMap(\.self).joined(separator: " AND ")
        triggers.append(
            DerivedTrigger(
                role, after: event, on: table, when: conditions.isEmpty ? nil : conditions,
                rows: "Z_PK = \(owner)", value: value))
    }

    /// The number of all members.
    private func total(of rows: String) -> String {
        let values = source.map { "m.\($0)" } ?? "*"
        let number = "\(summary.rawValue)(\(values))"
        return "(SELECT \(summary == .sum ? "IFNULL(\(number), 0)" : number) FROM \(rows))"
    }

    /// The number with one more member, whose value may be null.
    private func adding(_ value: String?) -> String {
        guard let value else { return "IFNULL(\(column), 0) + 1" }
        guard summary == .sum || summary == .count else {
            return "\(summary.rawValue)(IFNULL(\(column), \(value)), IFNULL(\(value), \(column)))"
        }
        return "IFNULL(\(column), 0) + IFNULL(\(value), 0)"
    }

    private func changing(to new: String, from old: String, _ total: String) -> String {
        guard summary == .sum else {
            return "CASE WHEN \(column) IS \(old) THEN \(total) ELSE \(adding(new)) END"
        }
        return exact("\(adding(new)) - IFNULL(\(old), 0)", total)
    }

    private func removing(_ value: String?, _ total: String) -> String {
        guard let value else { return "IFNULL(\(column), 0) - 1" }
        guard summary == .sum || summary == .count else {
            return "CASE WHEN \(column) IS \(value) THEN \(total) ELSE \(column) END"
        }
        return exact("IFNULL(\(column), 0) - IFNULL(\(value), 0)", total)
    }

    /// A sum, computed again where the rounding errors of the one before could show.
    private func exact(_ sum: String, _ total: String) -> String {
        guard isReal else { return sum }
        return "CASE WHEN 2 * ABS(\(sum)) > ABS(\(column)) THEN \(sum) ELSE \(total) END"
    }
}
