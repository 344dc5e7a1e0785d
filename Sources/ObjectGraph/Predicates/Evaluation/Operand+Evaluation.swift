import Foundation

/// The object that a predicate is evaluated on, and the current objects of its collections, the
/// outermost first.
struct EvaluationFrame<Subject: PredicateSubject> {
    let root: Subject
    private(set) var elements: [Subject] = []

    @inline(__always)
    init(_ root: Subject) { self.root = root }

    @inline(__always)
    subscript(level: Int) -> Subject { level == 0 ? root : elements[level - 1] }

    /// The frame for evaluating an object of a collection.
    func looking(at element: Subject, level: Int) -> Self {
        var frame = self
        frame.elements.removeLast(elements.count - (level - 1))
        frame.elements.append(element)
        return frame
    }

    func object(at path: ObjectPath) -> Subject? { self[path.level].destination(along: path.steps) }

    /// The objects of a collection, each with its frame; none without an owner.
    func members(of collection: Condition.Collection) -> [Self] {
        guard let owner = object(at: collection.owner) else { return [] }
        let frames = owner.destinations(of: collection.property)
            .map { looking(at: $0, level: collection.level) }
        guard let filter = collection.filter else { return frames }
        return frames.filter { filter.holds(in: $0) }
    }
}

extension Operand {
    /// The value in memory for an object.
    func value<Subject: PredicateSubject>(for subject: Subject) -> AttributeValue {
        value(in: EvaluationFrame(subject))
    }

    /// Nested functions take little stack, since the other cases have their own frame.
    func value<Subject: PredicateSubject>(in frame: EvaluationFrame<Subject>) -> AttributeValue {
        guard case .function(let function, let arguments) = self else {
            return otherValue(in: frame)
        }
        return function.result(arguments.map { $0.value(in: frame) })
    }

    private func otherValue<Subject: PredicateSubject>(
        in frame: EvaluationFrame<Subject>
    ) -> AttributeValue {
        switch self {
        case .constant(let value): return value
        case .attribute(let path, let property):
            return frame.object(at: path)?.value(of: property) ?? .null
        case .object(let path):
            let start = frame[path.level]
            guard let last = path.steps.last else { return .objectID(start.objectID) }
            return start.destination(along: path.steps.dropLast())?.value(of: last) ?? .null
        case .entityName(let path):
            return frame.object(at: path).map { .string($0.objectID.entityName) } ?? .null
        case .count(let collection):
            if collection.filter != nil {
                return .integer(Int64(frame.members(of: collection).count))
            }
            let owner = frame.object(at: collection.owner)
            return .integer(Int64(owner?.destinations(of: collection.property).count ?? 0))
        case .summary(let statistic, let collection, let operand):
            return statistic.result(frame.members(of: collection).map { operand.value(in: $0) })
        case .element(let collection, let position, let operand):
            let members = frame.members(of: collection)
            let member: EvaluationFrame<Subject>? =
                switch position {
                case .first: members.first
                case .last: members.last
                case .index(let index): members.element(at: index.value(in: frame))
                }
            return member.map { operand.value(in: $0) } ?? .null
        case .choice(let index, let operands):
            return operands.element(at: index.value(in: frame))?.value(in: frame) ?? .null
        case .listSummary(let statistic, let operands):
            return statistic.result(ofList: operands.map { $0.value(in: frame) })
        case .conditional(let condition, let first, let second):
            return (condition.holds(in: frame) ? first : second).value(in: frame)
        case .cast(let operand, let kind): return operand.value(in: frame).cast(to: kind)
        case .now: return .date(.now)
        case .hinted(let operand, _): return operand.value(in: frame)
        case .aggregate, .fetchCount, .searchResult, .function:
            // `.aggregate` occurs in dictionary fetches only, `.searchResult` in SQL only, fetches
            // were replaced, and `value(in:)` handles functions.
            return .null
        }
    }
}

extension Array {
    /// The element at the position that a value gives; nil if the value is not a position in the
    /// array.
    func element(at value: AttributeValue) -> Element? {
        value.position.flatMap { indices.contains($0) ? self[$0] : nil }
    }
}

extension AttributeValue {
    /// The value as a whole number, counted from 0; nil for fractions and for values that are not
    /// numbers.
    var position: Int? {
        wholeNumber.map { Int($0) } ?? double.flatMap { Int(exactly: $0) }
    }
}

extension Operand.Statistic {
    /// The result over the values of a list; null if one of them is null.
    ///
    /// If an integer equals a real, SQLite takes the first one as the maximum and the last one as
    /// the minimum.
    func result(ofList values: [AttributeValue]) -> AttributeValue {
        if values.contains(where: \.isNull) { return .null }
        return result(self == .minimum ? values.reversed() : values)
    }

    /// The result over the values that are not null. Without values, a count and a sum are 0 and
    /// all others are null.
    ///
    /// Sums use double precision, as in SQL. The standard deviation is that of the whole
    /// population.
    func result(_ values: [AttributeValue]) -> AttributeValue {
        let values = values.filter { !$0.isNull }
        func best(_ isBetter: (Int) -> Bool) -> AttributeValue {
            values.dropFirst().reduce(values.first ?? .null) { found, value in
                isBetter(value.order(to: found) ?? 0) ? value : found
            }
        }
        switch self {
        case .count: return .integer(Int64(values.count))
        case .minimum: return best { $0 < 0 }
        case .maximum: return best { $0 > 0 }
        case .mode:
            let counts = values.reduce(into: [:]) { $0[$1, default: 0] += 1 }
            // If several values are equally frequent, the least of them.
            let greatest = counts.values.max()
            return Self.minimum.result(counts.filter { $0.value == greatest }.map(\.key))
        default: return numericResult(values.compactMap(\.double))
        }
    }

    private func numericResult(_ numbers: [Double]) -> AttributeValue {
        let sum = numbers.reduce(0, +)
        if self == .sum { return .double(sum) }
        guard !numbers.isEmpty else { return .null }
        let count = Double(numbers.count)
        switch self {
        case .average: return .double(sum / count)
        case .median:
            let sorted = numbers.sorted()
            let middle = sorted.count / 2
            return .double(
                sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2)
        default:
            let mean = sum / count
            let squares = numbers.reduce(0) { $0 + ($1 - mean) * ($1 - mean) }
            return .double((squares / count).squareRoot())
        }
    }
}
