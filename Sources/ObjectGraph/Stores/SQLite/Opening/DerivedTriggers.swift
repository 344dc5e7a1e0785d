/// The triggers that keep one derived attribute up to date (spec §1.4).
///
/// Names and functions are Core Data's. `SOURCE` is the row with the attribute, `PARAMETER` a row
/// that its value depends on. Each trigger ends with a call for the rows that it has changed
/// (`TriggerFunctions`). New values are read from tables, not from `NEW`: other triggers may have
/// changed the row since, and SQLite calls triggers in no certain order.
struct DerivedTriggers {
    private let attribute: Property
    private let entity: Entity
    private let layout: StoreLayout
    private let table: String
    private let column: String

    /// The statements that create the triggers.
    private(set) var statements: [String] = []

    /// SQL for the value in any row, from the rows that it depends on.
    private var value = ""

    /// - Parameters:
    ///   - attribute: A derived attribute.
    ///   - entity: The entity that declares it.
    ///   - layout: The names of tables and columns.
    init(_ attribute: Property, of entity: Entity, _ layout: StoreLayout) {
        self.attribute = attribute
        self.entity = entity
        self.layout = layout
        table = layout.table(of: entity)
        column = layout.column(of: attribute)
        switch attribute.derivation! {
        case .now:
            value = TriggerFunctions.now + "()"
            addOwn("INSERT", "INSERT", value)
            addOwn("UPDATE", "UPDATE OF Z_OPT", value)
        case .value(nil, let key, let folding):
            let source = layout.column(of: entity.property(named: key)!)
            value = folded(source, folding)
            addOwn("INSERT", "INSERT", value)
            addOwn("UPDATE", "UPDATE OF \(source)", value, when: changes(source))
        case .value(let relationship?, let key, let folding):
            addValue(relationship, key, folding)
        case .summary(let summary, let relationship, let key):
            let property = entity.property(named: relationship)!
            let summary = DerivedSummary(
                summary, of: property, key, as: attribute, layout, owner: table)
            value = summary.expression
            for trigger in summary.triggers { add(trigger) }
        }
    }

    /// The statement that computes the value in all rows, for a store that has rows already.
    var computation: String {
        "UPDATE \(table) SET \(column) = \(value) WHERE true\(restriction)"
    }

    /// The statement that fails if a computed value is too large; nil if none can be.
    var check: String? {
        isTooLarge.map {
            "SELECT \(TriggerFunctions.refusal(of: place)) FROM \(table) WHERE \($0)\(restriction) LIMIT 1"
        }
    }

    // MARK: - Values

    private mutating func addValue(
        _ relationship: String, _ key: String, _ folding: Derivation.Folding?
    ) {
        let property = entity.property(named: relationship)!
        let destination = layout.model.destination(of: property.relationship!)
        let other = layout.table(of: destination)
        let source = layout.column(of: destination.property(named: key)!)
        let foreignKey = layout.column(of: property)
        value = folded(
            "(SELECT d.\(source) FROM \(other) d WHERE d.Z_PK = \(table).\(foreignKey))", folding)
        addOwn("SOURCE_INSERT", "INSERT", value)
        addOwn(
            "SOURCE_UPDATE", "UPDATE OF \(foreignKey)", value, when: changes(foreignKey))
        add(
            DerivedTrigger(
                "PARAMETER_INSERT", after: "INSERT", on: other, rows: "\(foreignKey) = NEW.Z_PK",
                value: value))
        add(
            DerivedTrigger(
                "PARAMETER_UPDATE", after: "UPDATE OF \(source)", on: other,
                when: changes(source), rows: "\(foreignKey) = NEW.Z_PK", value: value))
        // Only references that no delete rule cuts are still there.
        add(
            DerivedTrigger(
                "PARAMETER_DELETE", after: "DELETE", on: other, rows: "\(foreignKey) = OLD.Z_PK",
                value: "NULL"))
    }

    private func folded(_ value: String, _ folding: Derivation.Folding?) -> String {
        folding?.sql(value) ?? value
    }

    private func changes(_ column: String) -> String { "NEW.\(column) IS NOT OLD.\(column)" }

    // MARK: - SQL

    /// Adds a trigger that changes the row for which it is called.
    private mutating func addOwn(
        _ role: String, _ event: String, _ value: String, when condition: String? = nil
    ) {
        add(
            DerivedTrigger(
                role, after: event, on: table, when: condition, rows: "Z_PK = NEW.Z_PK",
                value: value))
    }

    private mutating func add(_ trigger: DerivedTrigger) {
        let name = "Z_DA_\(trigger.table)_\(entity.name)_\(attribute.name)_\(trigger.role)"
        let condition = trigger.condition.map { "WHEN \($0) " } ?? ""
        let rows = trigger.rows + restriction
        let isNew = trigger.event == "INSERT" && trigger.table == table
        statements.append(
            """
            CREATE TRIGGER \(name) AFTER \(trigger.event) ON \(trigger.table) FOR EACH ROW \
            \(condition)BEGIN \
            UPDATE \(table) SET \(column) = \(trigger.value) WHERE \(rows); \
            SELECT \(call(isNew: isNew)) FROM \(table) WHERE \(rows); END
            """)
    }

    /// The table may have rows of entities without the attribute.
    private var restriction: String {
        guard entity.index != entity.rootIndex else { return "" }
        let numbers = layout.numbers(of: entity.familyIndexes).map(String.init)
        return " AND Z_ENT IN (\(numbers.joined(separator: ", ")))"
    }

    /// The call for a changed row. A number that the attribute's type cannot hold fails the
    /// statement.
    private func call(isNew: Bool) -> String {
        let function = isNew ? TriggerFunctions.inserted : TriggerFunctions.updated
        let call = "\(function)('\(table)', Z_ENT, Z_PK, '\(attribute.name)', \(column))"
        guard let isTooLarge else { return call }
        return
            "CASE WHEN \(isTooLarge) THEN \(TriggerFunctions.failure(of: place)) ELSE \(call) END"
    }

    private var place: String { "\(entity.name).\(attribute.name)" }

    /// The condition for a row whose value the attribute's type cannot hold; nil if there is none.
    private var isTooLarge: String? {
        guard case .summary = attribute.derivation,
            let range = attribute.attributeType?.integerRange
        else { return nil }
        // The sum of 64-bit integers becomes a real number when it is too large.
        return attribute.attributeType == .integer64
            ? "typeof(\(column)) = 'real'"
            : "\(column) NOT BETWEEN \(range.lowerBound) AND \(range.upperBound)"
    }
}

/// One trigger, without the parts that all triggers of an attribute have.
struct DerivedTrigger {
    let role: String
    let event: String
    let table: String
    let condition: String?

    /// The rows that may change, as a condition.
    let rows: String
    let value: String

    init(
        _ role: String, after event: String, on table: String, when condition: String? = nil,
        rows: String, value: String
    ) {
        self.role = role
        self.event = event
        self.table = table
        self.condition = condition
        self.rows = rows
        self.value = value
    }
}

extension Derivation.Folding {
    /// SQL for the conversion of a text, which is that of the function of predicates.
    fileprivate func sql(_ value: String) -> String {
        let function: Operand.Function =
            switch self {
            case .canonical: .canonical
            case .lowercase: .lowercase
            case .uppercase: .uppercase
            }
        // Only random functions have no SQL.
        let form = try! function.sqlForm()
        return form.opening + value + form.closing
    }
}
