/// The right side of LIKE: `*` matches any run of characters, `?` one Unicode scalar; a backslash
/// escapes both.
struct WildcardPattern: Sendable {
    enum Element: Sendable, Equatable {
        case scalar(UInt32)
        case one
        case run
    }

    let elements: [Element]

    init(_ pattern: String) {
        var elements: [Element] = []
        var isEscaped = false
        for scalar in pattern.unicodeScalars {
            switch scalar {
            case _ where isEscaped:
                elements.append(.scalar(scalar.value))
                isEscaped = false
            case "\\": isEscaped = true
            case "*": if elements.last != .run { elements.append(.run) }
            case "?": elements.append(.one)
            default: elements.append(.scalar(scalar.value))
            }
        }
        if isEscaped { elements.append(.scalar(0x5C)) }
        self.elements = elements
    }

    /// Whether the whole text fits the pattern.
    ///
    /// On a mismatch only the latest run is extended, since extending an earlier one could not
    /// help. The time is at most the product of the two lengths; no memory is allocated.
    func matches(_ text: UnsafeRawBufferPointer, lowercasing: Bool) -> Bool {
        elements.withUnsafeBufferPointer { elements in
            var (position, element) = (0, 0)
            var retry: (position: Int, element: Int)?
            while position < text.count {
                let scalar = text.scalar(at: position, lowercasing)
                if element < elements.count, elements[element] == .run {
                    retry = (position, element)
                    element += 1
                } else if element < elements.count,
                    elements[element] == .one || elements[element] == .scalar(scalar.value)
                {
                    position += scalar.byteCount
                    element += 1
                } else if let latest = retry {
                    position = latest.position + text.scalar(at: latest.position, false).byteCount
                    element = latest.element + 1
                    retry = (position, latest.element)
                } else {
                    return false
                }
            }
            while element < elements.count, elements[element] == .run { element += 1 }
            return element == elements.count
        }
    }
}

extension UnsafeRawBufferPointer {
    /// The scalar that starts at a position. A byte that is not UTF-8 counts as a scalar.
    @inline(__always)
    fileprivate func scalar(
        at position: Int, _ lowercasing: Bool
    ) -> (value: UInt32, byteCount: Int) {
        let lead = self[position]
        if lead < 0x80 { return (UInt32(lowercasing ? lead.asciiLowercased : lead), 1) }
        let byteCount = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : lead >= 0xC2 ? 2 : 1
        guard byteCount > 1, position + byteCount <= count else { return (UInt32(lead), 1) }
        var value = UInt32(lead) & (0x7F >> UInt32(byteCount))
        for offset in 1..<byteCount { value = value << 6 | UInt32(self[position + offset] & 0x3F) }
        return (value, byteCount)
    }
}
