/// A key path with each step looked up, or another expression that leads to objects.
struct ResolvedKeyPath {
    /// The to-many relationship on the path, if any. The rest of the path starts at its objects.
    var collection: Condition.Collection?

    /// The value at the end, for each object of the collection if there is one.
    var operand: Operand

    /// The objects that `operand` identifies; nil if it is a value.
    var objects: ObjectPath?

    /// Whether the path ends with the to-many relationship.
    var isCollectionItself: Bool {
        collection != nil && objects?.level == collection?.level && objects?.steps.isEmpty == true
    }

    /// Resolves the built-in keys `objectID`, `entity`, `entity.name` and `length`.
    func end(_ key: String, _ rest: String?) -> ResolvedKeyPath? {
        switch (key, rest, objects) {
        case ("objectID", nil, _?): self
        case ("entity", nil, let objects?), ("entity", "name", let objects?):
            ResolvedKeyPath(collection: collection, .entityName(objects))
        case ("length", nil, nil) where operand.kind == .string:
            ResolvedKeyPath(collection: collection, .function(.length, [operand]))
        default: nil
        }
    }

    init(collection: Condition.Collection? = nil, _ operand: Operand) {
        self.collection = collection
        self.operand = operand
    }

    init(collection: Condition.Collection? = nil, objects: ObjectPath) {
        self.collection = collection
        operand = .object(objects)
        self.objects = objects
    }
}

extension ConditionResolver {
    /// The object that key paths start from.
    var root: ResolvedKeyPath {
        ResolvedKeyPath(objects: ObjectPath(level: 0, entityIndex: entity.index))
    }

    /// Looks up the steps of a key path: to-one relationships and at most one to-many relationship,
    /// then an attribute, a relationship or a collection operator. The elements of a composite
    /// attribute may follow it.
    func keyPath(
        _ text: String, from start: ResolvedKeyPath? = nil
    ) throws(FetchError) -> ResolvedKeyPath {
        // Most key paths consist of one key.
        if start == nil, let property = entity.property(named: text) {
            let root = root
            return try step(property, from: root, root.objects!, text)
        }
        var resolved = start ?? root
        let name = resolved.objects.map { model.entities[$0.entityIndex].name } ?? entity.name
        var rest = text.utf8[...]
        while true {
            let end = rest.firstIndex(of: UInt8(ascii: ".")) ?? rest.endIndex
            let isLast = end == rest.endIndex
            let key = String(Substring(rest[..<end]))
            rest = isLast ? rest[end...] : rest[rest.index(after: end)...]
            if let objects = resolved.objects,
                let property = model.entities[objects.entityIndex].property(named: key)
            {
                resolved = try self.step(property, from: resolved, objects, text)
                if isLast { return resolved }
                continue
            }
            if case .attribute(let objects, let composite) = resolved.operand,
                let element = composite.element(named: key)
            {
                resolved = try self.step(element, from: resolved, objects, text)
                if isLast { return resolved }
                continue
            }
            let remainder = isLast ? nil : String(Substring(rest))
            if key.utf8.first == UInt8(ascii: "@") {
                return try collectionOperator(key, resolved, rest: remainder, text)
            }
            if let end = resolved.end(key, remainder) { return end }
            throw .unknownKeyPath(text, entity: name)
        }
    }

    private func step(
        _ property: Property, from resolved: ResolvedKeyPath, _ objects: ObjectPath, _ text: String
    ) throws(FetchError) -> ResolvedKeyPath {
        if let reached {
            reached.insert(property, of: objects)
            if let relationship = property.relationship {
                reached.insert(model.destination(of: relationship))
            }
        }
        switch property.kind {
        case .attribute:
            guard allowsTransients || !property.isTransient else {
                throw .transientKeyNotAllowedHere(
                    property.name, entity: model.entities[objects.entityIndex].name)
            }
            return ResolvedKeyPath(
                collection: resolved.collection, .attribute(objects, property))
        case .toOne:
            var path = objects
            path.follow(property)
            return ResolvedKeyPath(collection: resolved.collection, objects: path)
        case .toMany:
            guard resolved.collection == nil else {
                throw .multipleToManyKeysNotAllowedHere(text, entity: entity.name)
            }
            let collection = Condition.Collection(
                owner: objects, property: property, level: level + 1)
            return ResolvedKeyPath(
                collection: collection,
                objects: ObjectPath(
                    level: level + 1, entityIndex: property.relationship!.destinationIndex))
        }
    }

    /// `@count` at the end, another statistic before the key path of its values, or a union of
    /// these values.
    private func collectionOperator(
        _ key: String, _ resolved: ResolvedKeyPath, rest: String?, _ text: String
    ) throws(FetchError) -> ResolvedKeyPath {
        guard var collection = resolved.collection, resolved.isCollectionItself else {
            throw .unknownKeyPath(text, entity: entity.name)
        }
        if key == "@count" {
            guard rest == nil else { throw .unknownKeyPath(text, entity: entity.name) }
            return ResolvedKeyPath(.count(collection))
        }
        guard let rest else {
            throw .invalidArguments(function: key, expected: "a key path behind it")
        }
        var start = resolved
        if Self.unionOperators.contains(key) {
            collection.inMemoryFeature = "The collection operator '\(key)'"
            start.collection = collection
            return try keyPath(rest, from: start)
        }
        guard let statistic = Operand.Statistic(collectionOperator: key) else {
            throw .unsupported(feature: "The collection operator '\(key)'")
        }
        return ResolvedKeyPath(try summary(statistic, keyPath(rest, from: start), name: key))
    }

    private static let unionOperators: Set<String> = [
        "@unionOfObjects", "@distinctUnionOfObjects",
    ]

    /// A statistic over the values at the end of a to-many key path.
    func summary(
        _ statistic: Operand.Statistic, _ path: ResolvedKeyPath, name: String
    ) throws(FetchError) -> Operand {
        if statistic == .count, path.isCollectionItself { return .count(path.collection!) }
        guard path.operand.kind == .number || !statistic.needsNumbers, path.objects == nil else {
            throw .invalidArguments(
                function: name, expected: statistic.needsNumbers ? "numbers" : "attributes")
        }
        try requireColumn(of: path.operand)
        return .summary(statistic, path.collection!, path.operand)
    }

    // MARK: - Expressions that lead to objects

    /// The objects or values that an expression leads to; nil for other kinds of expressions.
    func keyPath(_ expression: ObjectExpression) throws(FetchError) -> ResolvedKeyPath? {
        switch expression {
        case .evaluatedObject: return root
        case .keyPath(let text): return try keyPath(text)
        case .variable(let name): return try variable(name)
        case .path(.element(let base, let index), let text):
            return try element(index, of: base, text, in: expression)
        case .element(let base, let index):
            return try element(index, of: base, nil, in: expression)
        case .path(let base, let text):
            guard let start = try keyPath(base) else { return nil }
            return try keyPath(text, from: start)
        case .subquery(let collection, let variable, let predicate):
            return try subquery(collection, variable, predicate, expression)
        default: return nil
        }
    }

    /// The object that a SUBQUERY binds to the name, with the key path after it; nil for other
    /// variables.
    private func variable(_ name: String) throws(FetchError) -> ResolvedKeyPath? {
        let first = String(name.prefix { $0 != "." })
        guard let object = objects[first] else { return nil }
        let start = ResolvedKeyPath(objects: object)
        return first.utf8.count == name.utf8.count
            ? start : try keyPath(String(name.dropFirst(first.count + 1)), from: start)
    }

    private func subquery(
        _ expression: ObjectExpression, _ variable: String, _ predicate: ObjectPredicate,
        _ whole: ObjectExpression
    ) throws(FetchError) -> ResolvedKeyPath {
        guard var path = try keyPath(expression), var collection = path.collection,
            path.isCollectionItself
        else {
            throw .invalidComparison(
                whole.predicateFormat, advice: "SUBQUERY takes a to-many relationship.")
        }
        var inner = self
        inner.level = collection.level
        inner.objects[variable] = path.objects
        let condition = try inner.condition(predicate)
        collection.filter = try CompiledPredicate(
            collection.filter.map { .and([$0.condition, condition]) } ?? condition)
        path.collection = collection
        return path
    }

    /// `stops[0].name`: the value of a key path for one object of an ordered relationship.
    private func element(
        _ index: ObjectExpression.ElementIndex, of base: ObjectExpression, _ path: String?,
        in whole: ObjectExpression
    ) throws(FetchError) -> ResolvedKeyPath? {
        guard let many = try keyPath(base) else { return nil }
        guard let collection = many.collection, many.isCollectionItself else {
            throw .invalidComparison(
                whole.predicateFormat, advice: "an index follows a to-many relationship or a list.")
        }
        let position: Operand.Position
        switch index {
        case .size:
            guard path == nil else {
                throw .unknownKeyPath(whole.predicateFormat, entity: entity.name)
            }
            return ResolvedKeyPath(.count(collection))
        case .first: position = .first
        case .last: position = .last
        case .position(let expression): position = .index(try self.index(expression))
        }
        guard collection.property.relationship!.isOrdered else {
            throw .invalidComparison(
                whole.predicateFormat, advice: "only an ordered relationship has an index.")
        }
        let start = ResolvedKeyPath(objects: many.objects!)
        var inner = self
        inner.level = collection.level
        let end =
            try path.map { path throws(FetchError) in try inner.keyPath(path, from: start) }
            ?? start
        guard end.collection == nil else {
            throw .multipleToManyKeysNotAllowedHere(whole.predicateFormat, entity: entity.name)
        }
        return ResolvedKeyPath(.element(collection, position, end.operand))
    }
}
