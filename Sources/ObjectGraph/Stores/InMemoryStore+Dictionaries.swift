extension InMemoryStore {
    /// Each dictionary stands for a group of rows, which without grouping is a single row.
    func fetchDictionaries(
        _ request: FetchRequest, entity: Entity,
        objectID: (_ entityIndex: Int, _ key: Int64) -> ManagedObjectID
    ) throws -> [[String: AttributeValue]] {
        let resolver = ConditionResolver(entity: entity, model: model)
        let selection = try DictionarySelection(request, entity: entity, model: model)
        guard request.havingPredicate == nil else {
            throw FetchError.unsupported(feature: "havingPredicate in an in-memory store")
        }
        var keys: [CompiledSort.Key] = []
        for key in request.sortKeys {
            keys.append(try CompiledSort.Key(key, resolver, selection.sortOperand(key)))
        }
        let groups = selection.groups(of: try matches(request, resolver))
            .sorted(by: keys) { $1.value(for: $0) }
        var dictionaries: [[String: AttributeValue]] = []
        var known: Set<[String: AttributeValue]> = []
        for group in groups {
            let dictionary = try selection.dictionary(of: group, objectID: objectID)
            if request.returnsDistinctResults, !known.insert(dictionary).inserted { continue }
            dictionaries.append(dictionary)
        }
        return request.page(of: dictionaries)
    }
}

extension DictionarySelection {
    /// The rows that go into one dictionary each, in the order of the first of them.
    fileprivate func groups(of rows: [InMemoryStoreRow]) -> [[InMemoryStoreRow]] {
        guard !groups.isEmpty else {
            return fetched.contains { $0.operand.hasAggregate } ? [rows] : rows.map { [$0] }
        }
        var positions: [[AttributeValue]: Int] = [:]
        var result: [[InMemoryStoreRow]] = []
        for row in rows {
            let values = groups.map { $0.value(for: row, element: row) }
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
            case (let value, _): dictionary[column.name] = value
            }
        }
        return dictionary
    }
}

extension Operand {
    /// The value for a group of rows: of an aggregate over all of them, else of any of them.
    fileprivate func value(for group: [InMemoryStoreRow]) -> AttributeValue {
        switch self {
        case .aggregate(let aggregate, let operand):
            aggregate.result(
                group.map { operand.value(for: $0, element: $0) }.filter { !$0.isNull })
        case .function(let function, let arguments):
            function.result(
                arguments[0].value(for: group),
                arguments.count > 1 ? arguments[1].value(for: group) : .null)
        default: group.first.map { value(for: $0, element: $0) } ?? .null
        }
    }
}

extension Operand.Aggregate {
    /// The result over values that are not null; null without any, but for `count:`.
    fileprivate func result(_ values: [AttributeValue]) -> AttributeValue {
        func best(_ isBetter: (Int) -> Bool) -> AttributeValue {
            values.dropFirst().reduce(values.first ?? .null) { found, value in
                isBetter(value.order(to: found) ?? 0) ? value : found
            }
        }
        switch self {
        case .count: return .integer(Int64(values.count))
        case .minimum: return best { $0 < 0 }
        case .maximum: return best { $0 > 0 }
        case .sum:
            return values.dropFirst().reduce(values.first ?? .null) {
                Operand.Function.add.result($0, $1)
            }
        case .average:
            return Operand.Function.divide.result(
                Self.sum.result(values), .integer(Int64(values.count)))
        }
    }
}
