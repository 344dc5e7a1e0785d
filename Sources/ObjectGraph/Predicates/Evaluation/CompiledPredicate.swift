/// A predicate compiled for evaluation in memory, on any number of objects of one entity (spec
/// §7.3, §7.4).
///
/// It has two truth values: a comparison with nil is false, except `== nil` and `!=`. Comparing an
/// attribute with a constant allocates no memory.
///
/// A class, so that using it copies nothing.
final class CompiledPredicate: Sendable {
    private indirect enum Node: Sendable {
        case value(Bool)
        case and([Node])
        case or([Node])
        case not(Node)
        /// The common case: an attribute of the object itself.
        case attribute(AttributeTest)
        case test(Operand, ValueTest)
        case compare(Operand, Condition.Relation, Operand, ObjectPredicate.Options)
        case between(Operand, Operand, Operand)
        case matches(Operand, StringMatcher.Operation, Operand, ObjectPredicate.Options)
        case search(TextSearch)
        case quantified(Condition.Collection, isAll: Bool, Node)
        case block(PredicateBlock, Entity)

        /// The nodes that must all hold.
        var terms: [Node] {
            if case .and(let parts) = self { parts } else { [self] }
        }

        var rowTest: RowTest? {
            if case .attribute(let attribute) = self { RowTest(attribute) } else { nil }
        }
    }

    /// The compiled condition, which the evaluator for SQL needs.
    let condition: Condition
    private let root: Node

    /// The leading terms that a row can decide, and whether these are all terms.
    private let rowTests: RowTests?
    private let isAllInRowTests: Bool

    /// - Parameter allowsBlocks: Whether the subjects are objects. Blocks need objects.
    /// - Throws: `FetchError` for keys that the entity lacks, values of other types, unbound
    ///   variables, fetches that were not replaced by their results, and invalid regular
    ///   expressions.
    convenience init(
        _ predicate: ObjectPredicate, entity: Entity, model: ManagedObjectModel,
        allowsBlocks: Bool = true
    ) throws(FetchError) {
        try predicate.checkDepth()
        if predicate.hasFetches {
            throw .unsupported(
                feature: "A fetch in a predicate that is evaluated without a context")
        }
        var resolver = ConditionResolver(entity: entity, model: model)
        resolver.allowsBlocks = allowsBlocks
        try self.init(resolver.condition(predicate))
    }

    /// - Throws: `FetchError.invalidRegularExpression`.
    init(_ condition: Condition) throws(FetchError) {
        self.condition = condition
        root = try Self.compile(condition)
        let terms = root.terms
        var tests: [RowTest] = []
        for term in terms {
            guard let test = term.rowTest else { break }
            tests.append(test)
        }
        rowTests = tests.isEmpty ? nil : RowTests(tests)
        isAllInRowTests = tests.count == terms.count
    }

    func matches(_ subject: some PredicateSubject) -> Bool {
        if let rowTests, let holds = subject.satisfies(rowTests), isAllInRowTests || !holds {
            return holds
        }
        return Self.holds(root, EvaluationFrame(subject))
    }

    func holds(in frame: EvaluationFrame<some PredicateSubject>) -> Bool {
        Self.holds(root, frame)
    }

    // MARK: - Compiling

    private static func compile(_ condition: Condition) throws(FetchError) -> Node {
        switch condition {
        case .value(let value): return .value(value)
        case .and(let parts): return .and(try compile(parts))
        case .or(let parts): return .or(try compile(parts))
        case .not(let part): return .not(try compile(part))
        case .isNull(let operand): return test(operand, .isNull)
        case .isNotNull(let operand): return test(operand, .isNotNull)
        case .compare(let left, let relation, .constant(let value), let options):
            return test(left, .compare(relation, value, options))
        case .compare(let left, let relation, let right, let options):
            return .compare(left, relation, right, options)
        case .between(let operand, .constant(let least), .constant(let greatest)):
            return test(operand, .between(least, greatest))
        case .between(let operand, let least, let greatest):
            return .between(operand, least, greatest)
        case .isIn(let operand, let values, let orNull, let options):
            return test(operand, .isIn(SortedValues(values, options), orNull: orNull))
        // Used in SQL only. In memory, its results have replaced the fetch.
        case .isFetched: return .value(false)
        case .matches(let operand, let operation, .constant(.string(let pattern)), let options):
            return test(operand, .matches(try StringMatcher(operation, pattern, options)))
        case .matches(let operand, let operation, let pattern, let options):
            return .matches(operand, operation, pattern, options)
        case .search(let search): return .search(search)
        case .quantified(let collection, let isAll, let part):
            return .quantified(collection, isAll: isAll, try compile(part))
        case .block(let block, let entity): return .block(block, entity)
        }
    }

    private static func compile(_ parts: [Condition]) throws(FetchError) -> [Node] {
        var nodes: [Node] = []
        for part in parts { nodes.append(try compile(part)) }
        return nodes
    }

    private static func test(_ operand: Operand, _ test: ValueTest) -> Node {
        if case .attribute(let path, let property) = operand, path.level == 0, path.steps.isEmpty {
            return .attribute(AttributeTest(property: property, test: test))
        }
        return .test(operand, test)
    }

    // MARK: - Evaluating

    private static func holds<Subject: PredicateSubject>(
        _ node: Node, _ frame: EvaluationFrame<Subject>
    ) -> Bool {
        switch node {
        case .value(let value): return value
        case .and(let parts):
            for part in parts where !holds(part, frame) { return false }
            return true
        case .or(let parts):
            for part in parts where holds(part, frame) { return true }
            return false
        case .not(let part): return !holds(part, frame)
        case .attribute(let attribute):
            return attribute.test.holds(for: frame.root.value(of: attribute.property))
        case .test(let operand, let test): return test.holds(for: operand.value(in: frame))
        case .compare(let left, let relation, let right, let options):
            return ValueTest.compare(relation, right.value(in: frame), options)
                .holds(for: left.value(in: frame))
        case .between(let operand, let least, let greatest):
            return ValueTest.between(least.value(in: frame), greatest.value(in: frame))
                .holds(for: operand.value(in: frame))
        case .matches(let operand, let operation, let pattern, let options):
            // If the pattern differs from object to object, an invalid one matches nothing.
            guard let pattern = pattern.value(in: frame).string,
                let matcher = try? StringMatcher(operation, pattern, options)
            else { return false }
            return ValueTest.matches(matcher).holds(for: operand.value(in: frame))
        case .search(let search):
            guard let object = frame.object(at: search.path) else { return false }
            return search.query.matches(search.properties.map { object.value(of: $0).string })
        case .quantified(let collection, let isAll, let part):
            let members = frame.members(of: collection)
            return isAll
                ? members.allSatisfy { holds(part, $0) } : members.contains { holds(part, $0) }
        case .block(let block, let entity):
            let subject = frame.root
            return block.holds(
                for: PredicateBlock.Values(objectID: subject.objectID) { key in
                    entity.property(at: key).flatMap {
                        $0.kind == .toMany ? nil : subject.value(of: $0)
                    }
                })
        }
    }
}

extension ObjectPredicate {
    var hasFetches: Bool {
        var found = false
        forEachExpression { if case .fetch = $0 { found = true } }
        return found
    }

    /// The predicate with each fetch replaced by its results: a list of identifiers or values, or
    /// their number.
    ///
    /// - Parameter results: Returns the replacement of a fetch. `countOnly` asks for the number of
    ///   results.
    func replacingFetches(
        _ results: (FetchRequest, _ countOnly: Bool) throws -> ObjectExpression
    ) throws -> ObjectPredicate {
        guard hasFetches else { return self }
        var failure: (any Error)?
        let replaced = rewritten { part in
            guard case .fetch(let request, let countOnly) = part else { return nil }
            do { return try results(request, countOnly) } catch {
                failure = error
                return part
            }
        }
        if let failure { throw failure }
        return replaced
    }
}

extension PredicateSubject {
    func destination(along steps: [Property]) -> Self? {
        var current = self
        for step in steps {
            guard let next = current.destination(of: step) else { return nil }
            current = next
        }
        return current
    }
}
