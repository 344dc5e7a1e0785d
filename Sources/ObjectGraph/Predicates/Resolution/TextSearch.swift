/// A full-text index of the model, looked up.
struct FullTextIndex: Sendable {
    /// The entity that declares it.
    let entity: Entity
    let name: String

    /// The attributes, in the order of the index.
    let properties: [Property]

    init(_ description: FetchIndexDescription, of entity: Entity) {
        self.entity = entity
        name = description.name
        properties = description.elements.map { entity.property(at: $0.property)! }
    }

    /// - Parameter key: The name of the index, or of one of its attributes.
    init?(_ key: String, of entity: Entity, in model: ManagedObjectModel) {
        var owner: Entity? = entity
        while let current = owner {
            let index = current.description.indexes.first { index in
                index.kind == .fullText
                    && (index.name == key || index.elements.contains { $0.property == key })
            }
            if let index {
                self.init(index, of: current)
                return
            }
            owner = current.superentityIndex.map { model.entities[$0] }
        }
        return nil
    }
}

/// A term with SEARCH.
struct TextSearch: Sendable {
    /// The object with the texts.
    let path: ObjectPath
    let index: FullTextIndex

    /// The attributes in which the words may be: one of the index, or all of them.
    let properties: [Property]
    let query: SearchQuery
}

extension Operand {
    /// A value that SQLite computes for the matches of a search (spec §7.9).
    enum SearchResult: Sendable, Hashable {
        /// The better the match, the smaller.
        case rank

        /// A part of a text with the matches marked.
        ///
        /// - Parameter column: The position of the attribute in the index; nil for the one with the
        ///   best part.
        case snippet(column: Int?, opening: String, closing: String, ellipsis: String, words: Int)

        static let names: Set<String> = ["rank:", "snippet:"]
    }
}
