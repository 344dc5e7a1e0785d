extension Array where Element: AnyObject {
    /// Calls the body with each element without reference counting, which would cost more than most
    /// bodies.
    ///
    /// The array may change meanwhile: the body gets the elements that the array had at the start.
    @inline(__always)
    func forEachBorrowed(_ body: (Element) throws -> Void) rethrows {
        // Safe: the copy keeps every element alive until the last call has returned.
        let held = self
        defer { withExtendedLifetime(held) {} }
        for position in held.indices {
            try held.borrowed(at: position)._withUnsafeGuaranteedRef(body)
        }
    }

    /// Whether the condition holds for every element.
    @inline(__always)
    func allSatisfyBorrowed(_ condition: (Element) -> Bool) -> Bool {
        let held = self
        defer { withExtendedLifetime(held) {} }
        for position in held.indices
        where !held.borrowed(at: position)._withUnsafeGuaranteedRef(condition) {
            return false
        }
        return true
    }

    // An array of objects stores pointers, and an unmanaged reference is a pointer too.
    @inline(__always)
    private func borrowed(at position: Int) -> Unmanaged<Element> {
        withUnsafeBytes {
            $0.load(
                fromByteOffset: position * MemoryLayout<Unmanaged<Element>>.stride,
                as: Unmanaged<Element>.self)
        }
    }
}
