import Foundation

/// Comparisons of attributes with constants, evaluated on a row in place: without creating values
/// or counting references.
final class RowTests: Sendable {
    let count: Int

    // nonisolated(unsafe): filled in `init`, never written again, and freed with the tests.
    nonisolated(unsafe) private let start: UnsafeMutablePointer<RowTest>

    init(_ tests: [RowTest]) {
        count = tests.count
        start = .allocate(capacity: tests.count)
        start.initialize(from: tests, count: tests.count)
    }

    deinit {
        for index in 0..<count { start[index].question.release() }
        start.deallocate()
    }

    subscript(index: Int) -> RowTest {
        @inline(__always) get { start[index] }
    }
}

/// One comparison. The `RowTests` that gets it releases what it refers to.
struct RowTest {
    enum Question {
        case integer(Condition.Relation, Int64)
        case integers(from: Int64, through: Int64)
        case real(Condition.Relation, Double)
        case text(Condition.Relation, UnsafeRawBufferPointer, ObjectPredicate.Options)
        case matches(Unmanaged<StringMatcher>)
    }

    let propertyIndex: Int
    let question: Question

    /// Nil for a test that needs a value.
    init?(_ attribute: AttributeTest) {
        guard attribute.property.slot != nil, let type = attribute.property.attributeType,
            let question = Question(attribute.test, type)
        else { return nil }
        propertyIndex = attribute.property.index
        self.question = question
    }
}

extension RowTest.Question {
    /// Nil for IN, and for types whose slots are not values by themselves, including Booleans.
    fileprivate init?(_ test: ValueTest, _ type: AttributeType) {
        switch type {
        case .integer16, .integer32, .integer64:
            switch test {
            case .compare(let relation, .integer(let other), []):
                self = .integer(relation, other)
            case .between(.integer(let least), .integer(let greatest)):
                self = .integers(from: least, through: greatest)
            default: return nil
            }
        case .double, .float:
            guard case .compare(let relation, .double(let other), []) = test else { return nil }
            self = .real(relation, other)
        case .date:
            guard case .compare(let relation, .date(let other), []) = test else { return nil }
            self = .real(relation, other.timeIntervalSinceReferenceDate)
        case .string:
            switch test {
            case .compare(let relation, .string(let other), let options):
                let bytes = UnsafeMutableRawBufferPointer.allocate(
                    byteCount: other.utf8.count, alignment: 1)
                bytes.copyBytes(from: other.utf8)
                self = .text(relation, UnsafeRawBufferPointer(bytes), options)
            case .matches(let matcher): self = .matches(.passRetained(matcher))
            default: return nil
            }
        default: return nil
        }
    }

    fileprivate func release() {
        switch self {
        case .text(_, let bytes, _): bytes.deallocate()
        case .matches(let matcher): matcher.release()
        case .integer, .integers, .real: break
        }
    }

    /// The result for a row without a value: a comparison with nil is false, except `!=`.
    var holdsForNull: Bool {
        switch self {
        case .integer(.notEqual, _), .real(.notEqual, _), .text(.notEqual, _, _): true
        default: false
        }
    }
}

extension Condition.Relation {
    /// Comparisons with NaN are false.
    @inline(__always)
    func holds(for value: Double, _ other: Double) -> Bool {
        if value.isNaN || other.isNaN { return false }
        return holds(for: value < other ? -1 : value == other ? 0 : 1)
    }
}
