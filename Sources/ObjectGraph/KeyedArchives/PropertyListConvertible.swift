import Foundation

/// A Swift type that can be converted to a property list and back.
protocol PropertyListConvertible {
    /// The property list as a value of the type; nil if it is of another kind.
    ///
    /// A real or a Boolean is also read as an integer, and an integer as a real or a Boolean, if
    /// the value stays the same.
    init?(propertyList: PropertyList)

    var propertyList: PropertyList { get }
}

extension PropertyList: PropertyListConvertible {
    init(propertyList: PropertyList) { self = propertyList }
    var propertyList: PropertyList { self }
}

// MARK: - Numbers

extension PropertyListConvertible where Self: FixedWidthInteger {
    init?(propertyList: PropertyList) {
        switch propertyList {
        case .boolean(let value): self = value ? 1 : 0
        case .integer(let value): self.init(exactly: value)
        case .unsigned(let value): self.init(exactly: value)
        case .real(let value): self.init(exactly: value)
        default: return nil
        }
    }

    var propertyList: PropertyList {
        Int64(exactly: self).map { .integer($0) } ?? .unsigned(UInt64(self))
    }
}

extension Int: PropertyListConvertible {}
extension Int8: PropertyListConvertible {}
extension Int16: PropertyListConvertible {}
extension Int32: PropertyListConvertible {}
extension Int64: PropertyListConvertible {}
extension UInt: PropertyListConvertible {}
extension UInt8: PropertyListConvertible {}
extension UInt16: PropertyListConvertible {}
extension UInt32: PropertyListConvertible {}
extension UInt64: PropertyListConvertible {}

extension Double: PropertyListConvertible {
    init?(propertyList: PropertyList) {
        switch propertyList {
        case .real(let value): self = value
        case .integer(let value): self.init(exactly: value)
        case .unsigned(let value): self.init(exactly: value)
        default: return nil
        }
    }

    var propertyList: PropertyList { .real(self) }
}

extension Float: PropertyListConvertible {
    /// Rounds a real to single precision.
    init?(propertyList: PropertyList) {
        guard let value = Double(propertyList: propertyList) else { return nil }
        self.init(value)
    }

    var propertyList: PropertyList { .real(Double(self)) }
}

extension Bool: PropertyListConvertible {
    init?(propertyList: PropertyList) {
        switch propertyList {
        case .boolean(let value): self = value
        case .integer(0): self = false
        case .integer(1): self = true
        default: return nil
        }
    }

    var propertyList: PropertyList { .boolean(self) }
}

// MARK: - Other values

extension String: PropertyListConvertible {
    init?(propertyList: PropertyList) {
        guard case .string(let value) = propertyList else { return nil }
        self = value
    }

    var propertyList: PropertyList { .string(self) }
}

extension Date: PropertyListConvertible {
    init?(propertyList: PropertyList) {
        guard case .date(let value) = propertyList else { return nil }
        self = value
    }

    var propertyList: PropertyList { .date(self) }
}

extension Data: PropertyListConvertible {
    init?(propertyList: PropertyList) {
        guard case .data(let value) = propertyList else { return nil }
        self = value
    }

    var propertyList: PropertyList { .data(self) }
}

extension URL: PropertyListConvertible {
    init?(propertyList: PropertyList) {
        guard case .url(let value) = propertyList else { return nil }
        self = value
    }

    var propertyList: PropertyList { .url(self) }
}

extension UUID: PropertyListConvertible {
    init?(propertyList: PropertyList) {
        guard case .uuid(let value) = propertyList else { return nil }
        self = value
    }

    var propertyList: PropertyList { .uuid(self) }
}

// MARK: - Collections

extension Optional: PropertyListConvertible where Wrapped: PropertyListConvertible {
    init?(propertyList: PropertyList) {
        if propertyList == .null {
            self = .none
        } else {
            guard let value = Wrapped(propertyList: propertyList) else { return nil }
            self = .some(value)
        }
    }

    var propertyList: PropertyList { self?.propertyList ?? .null }
}

extension Array: PropertyListConvertible where Element: PropertyListConvertible {
    init?(propertyList: PropertyList) {
        guard case .array(let values) = propertyList else { return nil }
        self.init()
        reserveCapacity(values.count)
        for value in values {
            guard let element = Element(propertyList: value) else { return nil }
            append(element)
        }
    }

    var propertyList: PropertyList { .array(map(\.propertyList)) }
}

extension Set: PropertyListConvertible where Element: PropertyListConvertible {
    init?(propertyList: PropertyList) {
        guard case .set(let values) = propertyList,
            let elements = [Element](propertyList: .array(Array(values)))
        else { return nil }
        self.init(elements)
    }

    var propertyList: PropertyList { .set(Set<PropertyList>(map(\.propertyList))) }
}

extension Dictionary: PropertyListConvertible
where Key == String, Value: PropertyListConvertible {
    init?(propertyList: PropertyList) {
        guard case .dictionary(let values) = propertyList else { return nil }
        self.init()
        for (key, value) in values {
            guard let element = Value(propertyList: value) else { return nil }
            self[key] = .some(element)
        }
    }

    var propertyList: PropertyList { .dictionary(mapValues(\.propertyList)) }
}
