/// The columns with the folded texts of attributes (spec §11.8.41).
///
/// PostgreSQL cannot fold as the engine does. So the client writes the folded text beside the
/// attribute's own, into a column for each folding in an index of the model. Comparisons with the
/// same options read that column.
package struct FoldedColumns: Sendable {
    /// Which columns a store has.
    package enum Extent {
        /// Those for the foldings in the indexes of the model.
        case model
        /// Those that a schema has, by the names of table and column.
        case existing((_ table: String, _ column: String) -> Bool)
        /// One for each folding of each string.
        case all
    }

    private typealias Folding = FetchIndexDescription.Folding

    private static let foldings: [Folding] = [
        .caseInsensitive, .diacriticInsensitive, .caseAndDiacriticInsensitive,
    ]

    /// By entity index, those of each slot in ascending order of the foldings.
    private let columns: [[Int: [StoredColumn]]]

    static let none = FoldedColumns(columns: [])

    private init(columns: [[Int: [StoredColumn]]]) { self.columns = columns }

    init(_ extent: Extent, _ model: ManagedObjectModel, _ naming: StoreNaming) {
        let declared = if case .model = extent { Self.declared(in: model) } else { Set<Place>() }
        columns = model.entities.map { entity in
            var columns: [Int: [StoredColumn]] = [:]
            for property in entity.properties where property.attributeType == .string {
                guard let slot = property.slot else { continue }
                for folding in Self.foldings {
                    let name = naming.dialect.name(
                        Self.name(naming.columns[entity.index][slot], folding))
                    let isThere =
                        switch extent {
                        case .model:
                            declared.contains(
                                Place(property.declaringEntityIndex, slot, folding))
                        case .existing(let has): has(naming.tables[entity.index], name)
                        case .all: true
                        }
                    guard isThere else { continue }
                    columns[slot, default: []].append(
                        StoredColumn(name, slot, folding))
                }
            }
            return columns
        }
    }

    func of(_ slot: Int, _ entityIndex: Int) -> [StoredColumn] {
        columns.isEmpty ? [] : columns[entityIndex][slot] ?? []
    }

    /// No column of a property begins so: names of properties begin with a letter.
    private static func name(_ column: String, _ folding: Folding) -> String {
        "Z_F\(folding.rawValue)_\(column.dropFirst())"
    }

    private struct Place: Hashable {
        let entityIndex: Int
        let slot: Int
        let folding: Folding

        init(_ entityIndex: Int, _ slot: Int, _ folding: Folding) {
            self.entityIndex = entityIndex
            self.slot = slot
            self.folding = folding
        }
    }

    private static func declared(in model: ManagedObjectModel) -> Set<Place> {
        var places: Set<Place> = []
        for entity in model.entities {
            for element in entity.description.indexes.flatMap(\.elements)
            where element.folding != .none {
                guard let property = entity.property(at: element.property),
                    let slot = property.slot
                else { continue }
                places.insert(Place(property.declaringEntityIndex, slot, element.folding))
            }
        }
        return places
    }
}

/// A column of an entity's table, and what it has of a row.
package struct StoredColumn: Sendable, Hashable {
    package struct Source: Sendable, Hashable {
        package let slot: Int

        /// How the text of the slot is folded; `none` in the attribute's own column.
        package let folding: FetchIndexDescription.Folding
    }

    package let name: String
    package let source: Source
    package var slot: Int { source.slot }

    init(_ name: String, _ slot: Int, _ folding: FetchIndexDescription.Folding = .none) {
        self.name = name
        source = Source(slot: slot, folding: folding)
    }
}

extension StoreLayout {
    /// The columns of slots.
    package func ownColumns(_ slots: some Sequence<Int>, of entity: Entity) -> [StoredColumn] {
        slots.map { StoredColumn(column($0, of: entity), $0) }
    }

    /// The columns that a writer of the slots must write: each slot's own, and then those with its
    /// folded texts.
    package func writtenColumns(
        _ slots: some Sequence<Int>, of entity: Entity
    ) -> [StoredColumn] {
        slots.flatMap { ownColumns([$0], of: entity) + foldedColumns($0, of: entity) }
    }

    /// The columns with the folded texts of a slot.
    package func foldedColumns(_ slot: Int, of entity: Entity) -> [StoredColumn] {
        folded.of(slot, entity.index)
    }

    /// The column that comparisons of an attribute with these options read; nil if there is none.
    func foldedColumn(of property: Property, _ options: ObjectPredicate.Options) -> String? {
        // The only locale is the root.
        let options = options.subtracting(.localeSensitive)
        guard !options.isEmpty, let slot = property.slot else { return nil }
        return folded.of(slot, property.declaringEntityIndex).first {
            $0.source.folding.options == options
        }?.name
    }
}
