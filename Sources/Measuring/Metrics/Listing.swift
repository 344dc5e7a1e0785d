extension [String] {
    /// The texts as "a", "a and b" or "a, b and c".
    public var listed: String { listed(with: "and") }

    /// The texts as "a", "a or b" or "a, b or c".
    public func listed(with word: String) -> String {
        guard count > 1, let last else { return first ?? "" }
        return "\(dropLast().joined(separator: ", ")) \(word) \(last)"
    }

    /// Each text once, at its first place.
    public var uniqued: [String] {
        reduce(into: []) { seen, text in
            if !seen.contains(text) { seen.append(text) }
        }
    }
}
