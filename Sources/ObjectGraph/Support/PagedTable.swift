/// A table from primary keys to elements, for keys that come from a counter.
///
/// Nearby keys share a page of 32 elements. A run of neighbouring rows costs one page look-up and
/// no hashing; a key far from all others costs a page. Not thread-safe: the owner must protect it.
final class PagedTable<Element> {
    private typealias Page = UnsafeMutablePointer<Element>

    private static var pageShift: Int64 { 5 }
    private static var pageSize: Int { 1 << Int(pageShift) }

    /// Pages below this number are found by position. The array grows only as far as pages are
    /// used.
    private static var directoryLimit: Int64 { 1 << 16 }

    private let empty: Element
    // Unchecked exclusivity: no access overlaps another one, and the check costs as much as finding
    // a page.
    // Of no generic type: the runtime would call a function for each of its places.
    @exclusivity(unchecked) private var directory: [UnsafeMutableRawPointer?] = []
    @exclusivity(unchecked) private var farPages: [Int64: Page] = [:]
    @exclusivity(unchecked) private var lastNumber: Int64 = -1
    @exclusivity(unchecked) private var lastPage: Page?

    /// - Parameter empty: The element of an absent key.
    init(empty: Element) {
        self.empty = empty
    }

    deinit {
        forEachPage { _, page in
            page.deinitialize(count: Self.pageSize)
            page.deallocate()
        }
    }

    /// The element of a key; `empty` if it was never set.
    subscript(key: Int64) -> Element {
        @inline(__always) get {
            guard let page = page(key >> Self.pageShift) else { return empty }
            return page[Int(key & (1 << Self.pageShift - 1))]
        }
        @inline(__always) set { slot(key).pointee = newValue }
    }

    /// The address of a key's element, which is valid until the next `removePages(where:)`.
    @inline(__always)
    func slot(_ key: Int64) -> UnsafeMutablePointer<Element> {
        let number = key >> Self.pageShift
        let page = page(number) ?? makePage(number)
        return page + Int(key & (1 << Self.pageShift - 1))
    }

    @inline(__always)
    private func page(_ number: Int64) -> Page? {
        if number == lastNumber { return lastPage }
        let found =
            if number < Self.directoryLimit {
                number < directory.count ? pageInDirectory(Int(number)) : nil
            } else {
                farPages[number]
            }
        if found != nil {
            lastNumber = number
            lastPage = found
        }
        return found
    }

    @inline(__always)
    private func pageInDirectory(_ number: Int) -> Page? {
        directory[number]?.assumingMemoryBound(to: Element.self)
    }

    @inline(never)
    private func makePage(_ number: Int64) -> Page {
        precondition(number >= 0, "Primary keys are never negative.")
        let page = Page.allocate(capacity: Self.pageSize)
        page.initialize(repeating: empty, count: Self.pageSize)
        if number < Self.directoryLimit {
            if directory.count <= number {
                directory.append(
                    contentsOf: repeatElement(nil, count: Int(number) + 1 - directory.count))
            }
            directory[Int(number)] = UnsafeMutableRawPointer(page)
        } else {
            farPages[number] = page
        }
        lastNumber = number
        lastPage = page
        return page
    }

    private func forEachPage(_ body: (Int64, Page) throws -> Void) rethrows {
        for number in directory.indices {
            if let page = pageInDirectory(number) { try body(Int64(number), page) }
        }
        for (number, page) in farPages { try body(number, page) }
    }

    /// Calls the body with every key and the address of its element, including empty ones, in no
    /// particular order.
    func forEach(_ body: (Int64, UnsafeMutablePointer<Element>) throws -> Void) rethrows {
        try forEachPage { number, page in
            for position in 0..<Self.pageSize {
                try body(number << Self.pageShift + Int64(position), page + position)
            }
        }
    }

    /// Frees the pages on which every element meets the condition.
    func removePages(where isEmpty: (Element) -> Bool) {
        forEachPage { number, page in
            guard (0..<Self.pageSize).allSatisfy({ isEmpty(page[$0]) }) else { return }
            // One by one: for a range of a generic type, the runtime calls a function for each
            // element.
            for position in 0..<Self.pageSize { (page + position).deinitialize(count: 1) }
            page.deallocate()
            if number < Self.directoryLimit {
                directory[Int(number)] = nil
            } else {
                farPages[number] = nil
            }
        }
        lastNumber = -1
        lastPage = nil
    }

    func removeAll() {
        removePages { _ in true }
    }
}
