/// A sort order compiled for use in memory, on objects of one entity. It equals the order of the
/// SQL store.
struct CompiledSort: Sendable {
    struct Key: Sendable {
        let operand: Operand
        let isAscending: Bool
        let comparison: SortKey.Comparison
    }

    let keys: [Key]

    /// - Throws: `FetchError` unless each key is an attribute, reached through to-one
    ///   relationships.
    init(
        _ sortKeys: [SortKey], entity: Entity, model: ManagedObjectModel
    ) throws(FetchError) {
        try self.init(sortKeys, ConditionResolver(entity: entity, model: model))
    }

    init(_ sortKeys: [SortKey], _ resolver: ConditionResolver) throws(FetchError) {
        var keys: [Key] = []
        for key in sortKeys { keys.append(try Key(key, resolver)) }
        self.keys = keys
    }

    /// - Returns: Less than, equal to or greater than 0.
    func compare<Subject: PredicateSubject>(_ first: Subject, _ second: Subject) -> Int {
        for key in keys {
            let order = key.order(
                key.operand.value(for: first), key.operand.value(for: second))
            if order != 0 { return order }
        }
        return 0
    }

    func areInIncreasingOrder<Subject: PredicateSubject>(
        _ first: Subject, _ second: Subject
    ) -> Bool {
        compare(first, second) < 0
    }
}

extension CompiledSort.Key {
    /// - Parameter known: The operand of a key that is not a key path.
    init(
        _ key: SortKey, _ resolver: ConditionResolver, _ known: Operand? = nil
    ) throws(FetchError) {
        let operand: Operand
        if let known { operand = known } else { operand = try resolver.sortOperand(key) }
        guard key.comparison == .binary || operand.kind == .string else {
            throw .invalidComparison(
                key.keyPath, advice: "\(key.comparison) compares strings; sort by .binary.")
        }
        self.init(operand: operand, isAscending: key.isAscending, comparison: key.comparison)
    }

    /// Nil comes first, like NULL in SQLite.
    func order(_ first: AttributeValue, _ second: AttributeValue) -> Int {
        let order: Int
        switch (first, second) {
        case (.null, .null): order = 0
        case (.null, _): order = -1
        case (_, .null): order = 1
        default:
            switch comparison {
            case .binary: order = first.order(to: second) ?? 0
            case .caseInsensitive: order = first.order(to: second, .caseInsensitive) ?? 0
            case .localizedStandard:
                order = (first.string ?? "").withUTF8Bytes { left in
                    (second.string ?? "").withUTF8Bytes { StringComparison.natural(left, $0) }
                }
            }
        }
        return isAscending ? order : -order
    }
}

extension ConditionResolver {
    fileprivate func sortOperand(_ key: SortKey) throws(FetchError) -> Operand {
        let operand = try operand(key.expression)
        switch operand.kind {
        case .opaque:
            throw .unsupported(feature: "Sorting by '\(key.keyPath)', which is transformable,")
        case .object:
            throw .unsupported(feature: "Sorting by '\(key.keyPath)', which is an object,")
        default: break
        }
        // Refused as in Core Data (spec §7.7): SQLite would have to count for each row that it
        // sorts.
        if operand.isCount {
            throw .unsupported(feature: "Sorting by '\(key.keyPath)', which is a count,")
        }
        return operand
    }
}

extension Operand {
    fileprivate var isCount: Bool {
        switch self {
        case .count, .summary: true
        default: false
        }
    }
}
