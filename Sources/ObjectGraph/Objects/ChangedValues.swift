/// State that only some objects have, in one piece of memory: the values that differ from the row,
/// with a mask of them, and the to-many relationships that have been read or changed.
///
/// A to-one relationship is kept as the object identifier of its destination, temporary or
/// permanent. The memory is owned by the object and freed with it. It is raw memory and not a
/// class: it is accessed for each value that is set or saved, and reference counting took a third
/// of a save there.
struct ChangedValues {
    // Valid from `allocate` to `deallocate`. The owning object calls both, and nothing else keeps
    // the struct.
    private let memory: UnsafeMutableRawPointer

    /// After the header, at a multiple of malloc's alignment.
    private static var elementsOffset: Int { (MemoryLayout<Header>.size + 15) & ~15 }

    private struct Header {
        var mask = PropertyMask()

        /// The values set since pending changes were last processed.
        var eventMask = PropertyMask()
        var contents: RelationshipContents?
    }

    static func allocate(propertyCount: Int) -> ChangedValues {
        let size = elementsOffset + propertyCount * MemoryLayout<AttributeValue>.stride
        // The header needs 16, which malloc gives in any case (C11 7.22.3). If asked for 16, Swift
        // calls posix_memalign, which costs three times as much.
        let memory = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 8)
        memory.initializeMemory(as: Header.self, to: Header())
        let values = ChangedValues(memory: memory)
        values.elements.initialize(repeating: .null, count: propertyCount)
        return values
    }

    func deallocate() {
        // All others are null, which holds no reference.
        header.pointee.mask.forEach { (elements + $0).deinitialize(count: 1) }
        header.deinitialize(count: 1)
        memory.deallocate()
    }

    @inline(__always)
    private var header: UnsafeMutablePointer<Header> {
        memory.assumingMemoryBound(to: Header.self)
    }

    @inline(__always)
    private var elements: UnsafeMutablePointer<AttributeValue> {
        (memory + Self.elementsOffset).assumingMemoryBound(to: AttributeValue.self)
    }

    var mask: PropertyMask { header.pointee.mask }
    var eventMask: PropertyMask { header.pointee.eventMask }

    /// Clears the mask of the values set in the last event.
    func beginEvent() { header.pointee.eventMask = PropertyMask() }

    var contents: RelationshipContents? {
        get { header.pointee.contents }
        nonmutating set { header.pointee.contents = newValue }
    }

    @inline(__always)
    func contains(_ index: Int) -> Bool { header.pointee.mask.contains(index) }

    @inline(__always)
    subscript(index: Int) -> AttributeValue {
        get { elements[index] }
        nonmutating set {
            elements[index] = newValue
            header.pointee.mask.insert(index)
            header.pointee.eventMask.insert(index)
        }
    }

    /// A pointer to a value, for reading it without copying.
    @inline(__always)
    func pointer(_ index: Int) -> UnsafePointer<AttributeValue> { UnsafePointer(elements + index) }

    func removeAllValues() { header.pointee.mask.forEach(remove) }

    func remove(_ index: Int) {
        elements[index] = .null
        header.pointee.mask.remove(index)
        header.pointee.eventMask.remove(index)
    }
}
