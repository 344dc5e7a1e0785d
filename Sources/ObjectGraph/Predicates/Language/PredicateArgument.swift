import Foundation

/// A Swift value that can replace `%@` in a predicate format, or a variable.
public protocol PredicateArgument {
    /// The value as an expression: a constant, or an aggregate for a collection.
    var predicateExpression: ObjectExpression { get }
}

extension PredicateArgument where Self: BinaryInteger {
    /// An integer. One that does not fit into 64 bits with a sign becomes the nearest
    /// double-precision value.
    public var predicateExpression: ObjectExpression {
        .constant(Int64(exactly: self).map { .integer($0) } ?? .double(Double(self)))
    }
}

extension Int: PredicateArgument {}
extension Int8: PredicateArgument {}
extension Int16: PredicateArgument {}
extension Int32: PredicateArgument {}
extension Int64: PredicateArgument {}
extension UInt: PredicateArgument {}
extension UInt8: PredicateArgument {}
extension UInt16: PredicateArgument {}
extension UInt32: PredicateArgument {}
extension UInt64: PredicateArgument {}

extension Bool: PredicateArgument {
    public var predicateExpression: ObjectExpression { .constant(.boolean(self)) }
}

extension Double: PredicateArgument {
    public var predicateExpression: ObjectExpression { .constant(.double(self)) }
}

extension Float: PredicateArgument {
    public var predicateExpression: ObjectExpression { .constant(.double(Double(self))) }
}

extension Decimal: PredicateArgument {
    public var predicateExpression: ObjectExpression { .constant(.decimal(self)) }
}

extension String: PredicateArgument {
    public var predicateExpression: ObjectExpression { .constant(.string(self)) }
}

extension Date: PredicateArgument {
    public var predicateExpression: ObjectExpression { .constant(.date(self)) }
}

extension Data: PredicateArgument {
    public var predicateExpression: ObjectExpression { .constant(.data(self)) }
}

extension UUID: PredicateArgument {
    public var predicateExpression: ObjectExpression { .constant(.uuid(self)) }
}

extension URL: PredicateArgument {
    public var predicateExpression: ObjectExpression { .constant(.uri(self)) }
}

extension AttributeValue: PredicateArgument {
    public var predicateExpression: ObjectExpression { .constant(self) }
}

extension ManagedObjectID: PredicateArgument {
    public var predicateExpression: ObjectExpression { .constant(.objectID(self)) }
}

extension EntityDescription: PredicateArgument {
    /// The name of the entity, to compare with `entity` and `entity.name` in a key path.
    public var predicateExpression: ObjectExpression { .constant(.string(name)) }
}

extension FetchRequest: PredicateArgument {
    /// The results of the request, for the right side of IN; see `ObjectExpression.fetch`.
    public var predicateExpression: ObjectExpression { .fetch(self, countOnly: false) }
}

extension ObjectExpression: PredicateArgument {
    public var predicateExpression: ObjectExpression { self }
}

extension Array: PredicateArgument where Element: PredicateArgument {
    public var predicateExpression: ObjectExpression { .aggregate(map(\.predicateExpression)) }
}

extension Set: PredicateArgument where Element: PredicateArgument {
    public var predicateExpression: ObjectExpression { .aggregate(map(\.predicateExpression)) }
}
