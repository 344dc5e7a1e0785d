extension Array where Element: AnyObject {
    /// Calls the body with each element without counting references, which costs more than most bodies do.
    ///
    /// The array may change meanwhile; the elements that it had are visited.
    @inline(__always)
    func forEachBorrowed(_ body: (Element) throws -> Void) rethrows {
        // The copy keeps every element alive until the last call has returned.
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

    // An array of objects is one of pointers, which an unmanaged reference is too.
    @inline(__always)
    private func borrowed(at position: Int) -> Unmanaged<Element> {
        withUnsafeBytes {
            $0.load(
                fromByteOffset: position * MemoryLayout<Unmanaged<Element>>.stride,
                as: Unmanaged<Element>.self)
        }
    }
}
