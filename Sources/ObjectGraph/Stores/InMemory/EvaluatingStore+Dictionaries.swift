extension RowEvaluator {
    /// Each dictionary is the result of a group of rows; without grouping, a group is a single row.
    package func fetchDictionaries(
        _ request: FetchRequest, entity: Entity,
        objectID: (_ entityIndex: Int, _ key: Int64) -> ManagedObjectID
    ) throws -> [[String: AttributeValue]] {
        let reached = ReachedEntities()
        let resolver = resolver(entity, reached: reached)
        let selection = try DictionarySelection(
            request, entity: entity, model: model, reached: reached)
        let having = try selection.having()
        var keys: [CompiledSort.Key] = []
        for key in request.sortKeys {
            keys.append(try CompiledSort.Key(key, resolver, selection.sortOperand(key)))
        }
        let groups = selection.groups(of: try matches(request, resolver))
            .filter { group in having?.holds(for: group) ?? true }
            .sorted(by: keys) { $1.value(for: $0) }
        var dictionaries: [[String: AttributeValue]] = []
        var known: Set<[String: GroupKey]> = []
        for group in groups {
            let dictionary = try selection.dictionary(of: group, objectID: objectID)
            if request.returnsDistinctResults,
                !known.insert(dictionary.mapValues(\.groupKey)).inserted
            {
                continue
            }
            dictionaries.append(dictionary)
        }
        return request.page(of: dictionaries)
    }
}

extension DictionarySelection {
    /// The rows by group, in the order of each group's first row.
    fileprivate func groups(of rows: [InMemoryStoreRow]) -> [[InMemoryStoreRow]] {
        guard !groups.isEmpty else {
            return fetched.contains { $0.operand.hasAggregate } ? [rows] : rows.map { [$0] }
        }
        var positions: [[GroupKey]: Int] = [:]
        var result: [[InMemoryStoreRow]] = []
        for row in rows {
            let values = groups.map { $0.value(for: row).groupKey }
            if let position = positions[values] {
                result[position].append(row)
            } else {
                positions[values] = result.count
                result.append([row])
            }
        }
        return result
    }

    fileprivate func dictionary(
        of group: [InMemoryStoreRow],
        objectID: (_ entityIndex: Int, _ key: Int64) -> ManagedObjectID
    ) throws(FetchError) -> [String: AttributeValue] {
        var dictionary: [String: AttributeValue] = [:]
        for (entry, column) in zip(fetched, columns) {
            switch (entry.operand.value(for: group), column.decoding) {
            case (.null, _): break
            case (.objectID(let id), _):
                dictionary[column.name] = .objectID(
                    objectID(id.scope.entityIndex, id.reference))
            case (let value, .attribute(let type)):
                guard let converted = value.converted(to: type) else {
                    throw .typeMismatch(key: column.name, expected: "\(type)", value: value)
                }
                dictionary[column.name] = converted
            case (let value, .number): dictionary[column.name] = value.computedNumber
            case (let value, _): dictionary[column.name] = value
            }
        }
        return dictionary
    }
}

/// A value that is compared as in SQL: strings are equal if they have the same scalars.
private enum GroupKey: Hashable {
    case text([UInt8])
    case value(AttributeValue)
}

extension AttributeValue {
    fileprivate var groupKey: GroupKey {
        string.map { .text(Array($0.utf8)) } ?? .value(self)
    }

    /// The integer or double-precision value that SQLite computes for this number.
    fileprivate var computedNumber: AttributeValue {
        wholeNumber.map { .integer($0) } ?? double.map { .double($0) } ?? self
    }
}

extension Operand {
    /// The value for a group of rows: an aggregate uses all of them, any other operand the first
    /// one.
    fileprivate func value(for group: [InMemoryStoreRow]) -> AttributeValue {
        switch self {
        case .aggregate(let statistic, let operand):
            return statistic.result(group.map { operand.value(for: $0) })
        case .function(let function, let arguments):
            return function.result(arguments.map { $0.value(for: group) })
        case .listSummary(let statistic, let operands):
            return statistic.result(ofList: operands.map { $0.value(for: group) })
        case .conditional(let condition, let first, let second):
            return (condition.condition.holds(for: group) ? first : second).value(for: group)
        case .choice(let index, let operands):
            return operands.element(at: index.value(for: group))?.value(for: group) ?? .null
        case .cast(let operand, let kind): return operand.value(for: group).cast(to: kind)
        case .hinted(let operand, _): return operand.value(for: group)
        default: return group.first.map { value(for: $0) } ?? .null
        }
    }
}

extension Condition {
    /// Whether the condition on groups holds for this one. Its operands are evaluated for the
    /// group, then compared.
    fileprivate func holds(for group: [InMemoryStoreRow]) -> Bool {
        guard let row = group.first else { return false }
        let condition = mappingOperands { .constant($0.value(for: group)) }
        return (try? CompiledPredicate(condition))?.matches(row) ?? false
    }

    private func mappingOperands(_ map: (Operand) -> Operand) -> Condition {
        switch self {
        case .value, .quantified, .block, .isFetched, .search: self
        case .and(let parts): .and(parts.map { $0.mappingOperands(map) })
        case .or(let parts): .or(parts.map { $0.mappingOperands(map) })
        case .not(let part): .not(part.mappingOperands(map))
        case .compare(let left, let relation, let right, let options):
            .compare(map(left), relation, map(right), options)
        case .isNull(let operand): .isNull(map(operand))
        case .isNotNull(let operand): .isNotNull(map(operand))
        case .between(let operand, let least, let greatest):
            .between(map(operand), map(least), map(greatest))
        case .isIn(let operand, let values, let orNull, let options):
            .isIn(map(operand), values, orNull: orNull, options)
        case .matches(let operand, let operation, let pattern, let options):
            .matches(map(operand), operation, pattern: map(pattern), options)
        }
    }
}
