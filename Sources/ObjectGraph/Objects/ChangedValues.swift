/// State that only some objects have, in one piece of memory: the values that differ from the row,
/// with a mask of them, and the to-many relationships that have been read or changed.
///
/// The values lie in the order of their properties, without gaps: most objects change one or two of
/// many. Cost: a value is found by counting bits of the mask; a new one moves those after it.
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

        /// After the header, or in memory of their own when there are more than fit there.
        var elements: UnsafeMutablePointer<AttributeValue>
        var capacity = ownCapacity
    }

    /// The number of values that need no memory of their own.
    private static var ownCapacity: Int { 2 }

    static func allocate() -> ChangedValues {
        let size = elementsOffset + ownCapacity * MemoryLayout<AttributeValue>.stride
        // The header needs 16, which malloc gives in any case (C11 7.22.3). If asked for 16, Swift
        // calls posix_memalign, which costs three times as much.
        let memory = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 8)
        let values = ChangedValues(memory: memory)
        memory.initializeMemory(as: Header.self, to: Header(elements: values.ownElements))
        return values
    }

    func deallocate() {
        elements.deinitialize(count: mask.count)
        if elements != ownElements { elements.deallocate() }
        header.deinitialize(count: 1)
        memory.deallocate()
    }

    @inline(__always)
    private var header: UnsafeMutablePointer<Header> {
        memory.assumingMemoryBound(to: Header.self)
    }

    @inline(__always)
    private var elements: UnsafeMutablePointer<AttributeValue> { header.pointee.elements }

    private var ownElements: UnsafeMutablePointer<AttributeValue> {
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

    /// The value of a property; null if it has none here.
    @inline(__always)
    subscript(index: Int) -> AttributeValue {
        get { contains(index) ? elements[mask.rank(of: index)] : .null }
        nonmutating set {
            if contains(index) {
                elements[mask.rank(of: index)] = newValue
            } else {
                insert(newValue, index)
            }
            header.pointee.eventMask.insert(index)
        }
    }

    /// A pointer to a value that is here, for reading it without copying; valid until another is
    /// set or removed.
    @inline(__always)
    func pointer(_ index: Int) -> UnsafePointer<AttributeValue> {
        UnsafePointer(elements + mask.rank(of: index))
    }

    private func insert(_ value: AttributeValue, _ index: Int) {
        let (count, rank) = (mask.count, mask.rank(of: index))
        if count == header.pointee.capacity { grow(count) }
        (elements + rank + 1).moveInitialize(from: elements + rank, count: count - rank)
        (elements + rank).initialize(to: value)
        header.pointee.mask.insert(index)
    }

    private func grow(_ count: Int) {
        let old = elements
        header.pointee.capacity *= 4
        header.pointee.elements = .allocate(capacity: header.pointee.capacity)
        elements.moveInitialize(from: old, count: count)
        if old != ownElements { old.deallocate() }
    }

    func removeAllValues() { mask.forEach(remove) }

    func remove(_ index: Int) {
        guard contains(index) else { return }
        let (count, rank) = (mask.count, mask.rank(of: index))
        // Released last: a value of the program's may do anything then.
        let value = (elements + rank).move()
        (elements + rank).moveInitialize(from: elements + rank + 1, count: count - rank - 1)
        header.pointee.mask.remove(index)
        header.pointee.eventMask.remove(index)
        withExtendedLifetime(value) {}
    }
}
