/// The values of one object that differ from its row, in one allocation: a mask and a value for each property.
///
/// A to-one relationship is kept as the object identifier of its destination, temporary or permanent.
final class ChangedValues: ManagedBuffer<ChangedValues.Header, AttributeValue> {
    struct Header {
        var mask = PropertyMask()
        let count: Int
    }

    static func make(propertyCount: Int) -> ChangedValues {
        let buffer = create(minimumCapacity: propertyCount) { _ in Header(count: propertyCount) }
        buffer.withUnsafeMutablePointerToElements {
            $0.initialize(repeating: .null, count: propertyCount)
        }
        return unsafeDowncast(buffer, to: ChangedValues.self)
    }

    // Frees the values that `make` has set up.
    deinit {
        _ = withUnsafeMutablePointers { header, elements in
            elements.deinitialize(count: header.pointee.count)
        }
    }

    var mask: PropertyMask { withUnsafeMutablePointerToHeader { $0.pointee.mask } }

    @inline(__always)
    func contains(_ index: Int) -> Bool {
        withUnsafeMutablePointerToHeader { $0.pointee.mask.contains(index) }
    }

    @inline(__always)
    subscript(index: Int) -> AttributeValue {
        get { withUnsafeMutablePointerToElements { $0[index] } }
        set {
            withUnsafeMutablePointers { header, elements in
                elements[index] = newValue
                header.pointee.mask.insert(index)
            }
        }
    }

    func remove(_ index: Int) {
        withUnsafeMutablePointers { header, elements in
            elements[index] = .null
            header.pointee.mask.remove(index)
        }
    }
}
