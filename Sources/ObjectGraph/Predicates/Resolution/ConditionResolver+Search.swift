// SEARCH, and what can be asked of its matches.
extension ConditionResolver {
    /// `body SEARCH 'words'`, where the left side leads to an attribute of a full-text index or to
    /// the index.
    func search(_ comparison: ObjectPredicate.Comparison) throws(FetchError) -> Condition {
        func fail(_ advice: String) -> FetchError {
            .invalidComparison(comparison.predicateFormat, advice: advice)
        }
        guard allowsSearches else {
            throw .unsupported(feature: "SEARCH in the condition of an index")
        }
        guard case .constant(.string(let text)) = comparison.right, comparison.options.isEmpty
        else { throw fail("SEARCH takes a string on its right, and no options.") }
        guard let (start, last) = comparison.left.lastKey, let path = try keyPath(start),
            let (objects, key) = path.owner(of: last)
        else { throw fail("SEARCH takes an attribute or a full-text index on its left.") }
        let (index, properties) = try fullTextIndex(key, of: model.entities[objects.entityIndex])
        let search = Condition.search(
            TextSearch(
                path: objects, index: index, properties: properties, query: SearchQuery(text)))
        let isQuantified = comparison.modifier != .direct
        guard let collection = path.collection else {
            guard !isQuantified else {
                throw fail("ANY and ALL need a key path that leads through a to-many relationship.")
            }
            return search
        }
        guard isQuantified else {
            throw .toManyKeyNotAllowedHere(comparison.left.predicateFormat, entity: entity.name)
        }
        return .quantified(collection, isAll: comparison.modifier == .all, search)
    }

    /// `rank:(index)` and `snippet:(index, opening, closing, ellipsis, words)`.
    func searchResult(
        _ name: String, _ arguments: [ObjectExpression]
    ) throws(FetchError) -> Operand {
        guard allowsSearchResults else { throw .storeOnly(feature: "'\(name)'") }
        let isRank = name == "rank:"
        guard case .keyPath(let key) = arguments.first, isRank ? arguments.count == 1 : true else {
            throw .invalidArguments(
                function: name, expected: "an attribute or a full-text index of the entity")
        }
        let (index, properties) = try fullTextIndex(key, of: entity)
        if isRank { return .searchResult(.rank, of: index) }
        let options = arguments.dropFirst().map(\.constant)
        let expected = "two marks, an ellipsis and 1 to 64 words after its first argument"
        guard options.isEmpty || options.count == 4 else {
            throw .invalidArguments(function: name, expected: expected)
        }
        let values = options.isEmpty ? ObjectExpression.snippetOptions : options
        guard let opening = values[0]?.string, let closing = values[1]?.string,
            let ellipsis = values[2]?.string, let words = values[3]?.wholeNumber,
            (1...64).contains(words)
        else { throw .invalidArguments(function: name, expected: expected) }
        let column =
            properties.count == 1 ? index.properties.firstIndex { $0.name == key } : nil
        return .searchResult(
            .snippet(
                column: column, opening: opening, closing: closing, ellipsis: ellipsis,
                words: Int(words)),
            of: index)
    }

    private func fullTextIndex(
        _ key: String, of entity: Entity
    ) throws(FetchError) -> (index: FullTextIndex, properties: [Property]) {
        guard let index = FullTextIndex(key, of: entity, in: model) else {
            throw .noFullTextIndex(key, entity: entity.name)
        }
        return (index, entity.property(at: key).map { [$0] } ?? index.properties)
    }
}

extension ObjectExpression {
    /// A key path without its last key, and this key; nil for other expressions.
    fileprivate var lastKey: (start: ObjectExpression, key: String)? {
        switch self {
        case .keyPath(let path):
            let (start, key) = Self.split(path)
            return (start.map { .keyPath($0) } ?? .evaluatedObject, key)
        case .path(let base, let path):
            let (start, key) = Self.split(path)
            return (start.map { .path(base, $0) } ?? base, key)
        case .variable(let path):
            let (start, key) = Self.split(path)
            return start.map { (.variable($0), key) }
        default: return nil
        }
    }

    private static func split(_ path: String) -> (start: String?, key: String) {
        guard let dot = path.lastIndex(of: ".") else { return (nil, path) }
        return (String(path[..<dot]), String(path[path.index(after: dot)...]))
    }

    fileprivate var constant: AttributeValue? {
        if case .constant(let value) = self { value } else { nil }
    }
}
