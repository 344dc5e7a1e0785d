extension SortKey {
    /// Sorts by how well objects match a search, the best first.
    ///
    /// The rank is that of the first SEARCH that every result must match: the only term of the
    /// predicate, or a part of an AND. It is BM25 over all rows of the index, as SQLite computes
    /// it. Objects with unsaved changes have no rank, and come last. Stores in memory, results
    /// controllers and fetches over several stores throw `FetchError.storeOnly`. Source: spec §7.9.
    ///
    /// - Parameter key: The full-text index, or one of its attributes.
    public static func rank(of key: String) -> Self {
        Self(.function("rank:", [.keyPath(key)]))
    }

    var isRank: Bool {
        if case .function("rank:", _) = expression { true } else { false }
    }
}

extension FetchRequest {
    /// Whether SQLite alone can sort the results. Unsaved changes then follow, in the order of the
    /// other sort keys.
    var isRanked: Bool { sortKeys.contains(where: \.isRank) }

    var withoutRank: FetchRequest {
        var request = self
        request.sortKeys.removeAll(where: \.isRank)
        return request
    }
}

extension ObjectExpression {
    /// The part of a text with the most matches of a search, for the columns of a dictionary fetch.
    ///
    /// The search is the first SEARCH that every result must match; see `SortKey.rank(of:)`. The
    /// text is not escaped in any way. SQLite computes it; stores in memory throw
    /// `FetchError.storeOnly`. Source: spec §7.9.
    ///
    /// - Parameters:
    ///   - key: An attribute of the full-text index, or the index for the attribute with the most
    ///     matches.
    ///   - opening: The mark before each match.
    ///   - closing: The mark after each match.
    ///   - ellipsis: The mark for text that is left out.
    ///   - words: The number of words, from 1 to 64.
    public static func snippet(
        of key: String, opening: String = "[", closing: String = "]", ellipsis: String = "…",
        words: Int = 16
    ) -> Self {
        .function(
            "snippet:",
            [
                .keyPath(key), .constant(.string(opening)), .constant(.string(closing)),
                .constant(.string(ellipsis)), .constant(.integer(Int64(words))),
            ])
    }

    /// The options of a snippet without any in its format.
    static let snippetOptions: [AttributeValue?] = [
        .string("["), .string("]"), .string("…"), .integer(16),
    ]
}
