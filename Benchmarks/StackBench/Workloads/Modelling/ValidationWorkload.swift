import Measuring
import ObjectGraph

/// Saves of items whose attributes have validation rules, or none.
enum ValidationWorkload {
    enum Rules: String, CaseIterable {
        case none
        /// A least and a greatest value of numbers, and of the lengths of strings.
        case bounds
        /// Those, and a regular expression for strings.
        case patterns

        fileprivate func rules(for type: AttributeType) -> [ValidationRule] {
            let formats =
                switch type {
                case .string: ["length >= 1", "length <= 100", "SELF MATCHES '[a-z]+'"]
                case .integer32, .integer64, .double: ["SELF >= -1000", "SELF <= 1000000000"]
                default: [String]()
                }
            switch self {
            case .none: return []
            case .bounds: return formats.prefix(2).map { ValidationRule($0, .message("bounds")) }
            case .patterns: return formats.map { ValidationRule($0, .message("pattern")) }
            }
        }
    }

    static func run(_ context: WorkerContext) throws -> WorkloadOutcome {
        let store = RuledItems(context)
        let write: ItemWrite = context.text("way") == "insert" ? .insert : .update
        var verifier = Verifier()
        let sample = try write.measure(store, context, &verifier)
        verifier.check(
            "bad items refused", try refusalCount(store, context),
            equals: store.rules == .none ? 0 : store.rules == .bounds ? 1 : 2)
        return WorkloadOutcome(sample: sample, verification: verifier.verification)
    }

    /// How many of two items are refused: one without a city, one with a digit in it.
    private static func refusalCount(_ store: RuledItems, _ context: WorkerContext) throws -> Int {
        let coordinator = try context.openCoordinator(store.makeModel())
        let items = ManagedObjectContext(.privateQueue, coordinator: coordinator)
        let count = try items.performAndWait {
            try ["", "7"].count { city in
                var row = ItemRow.generated(count: 1)[0]
                row.city = city
                Item(context: items).take(row)
                defer { items.reset() }
                do { try items.save() } catch SaveError.validation { return true }
                return false
            }
        }
        try coordinator.removePersistentStores()
        return count
    }
}

private struct RuledItems: DeclaredItems {
    var rowCount: Int
    var rules: ValidationWorkload.Rules

    init(_ context: WorkerContext) {
        rowCount = context.text("way") == "insert" ? 0 : context.integer("rows")
        rules = context.choice("rules")
    }

    func makeModel() throws -> ManagedObjectModel {
        var item = EntityDescription(Item.self)
        for index in item.attributes.indices {
            item.attributes[index].validationRules = rules.rules(for: item.attributes[index].type)
        }
        return try ManagedObjectModel(entities: [item])
    }
}

extension WorkloadKind {
    static let validation = WorkloadKind(
        name: "validation", summary: "what validation rules cost a save",
        subjects: [.engine], data: .own({ RuledItems($0) }),
        parameters: [
            WorkloadParameter(
                name: "rules", values: .cases(of: ValidationWorkload.Rules.self),
                defaultValue: "bounds",
                summary: "none; bounds of numbers and lengths; a regular expression as well"),
            WorkloadParameter(
                name: "way", values: .choice(["insert", "update"]), defaultValue: "insert",
                summary: "insert all, or raise each quantity"),
            WorkloadParameter(
                name: "rows", values: .integer(1...10_000_000), defaultValue: "20000",
                summary: "items of ten columns"),
            .saveSize,
        ],
        run: ValidationWorkload.run)
}
