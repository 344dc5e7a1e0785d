/// Where a SQL store keeps what a model describes: the tables, the columns, the numbers of the
/// entities. All SQL takes its names from it.
///
/// The names of a new store follow from the model. Those of an existing SQLite store are found in
/// the file (`StoreNaming`), once, when it is opened. Source: spec §8.3, §8.4.
package final class StoreLayout: Sendable {
    package let model: ManagedObjectModel

    /// Identifiers of other stores name no rows of this one.
    package let storeIdentifier: String
    let dialect: any SQLDialect

    /// The numbers in `Z_ENT` of the store's rows, by entity index.
    private let numbers: [Int64]

    /// By entity index; descendants share the table of their root.
    private let tables: [String]

    /// By entity index and slot.
    private let columns: [[String]]

    /// Empty in SQLite, which folds by a function of the engine.
    let folded: FoldedColumns

    /// As each end of a relationship sees its join table, by the index of the end.
    private let joinTables: [JoinTable?]

    /// The relationships without an inverse whose pairs are in the destination's table, by the
    /// index of its root.
    private let ownerColumns: [Int: [OwnerColumns]]

    /// The slots whose columns need SQL to read and write them, by entity index.
    private let encodings: [[Int: Encoding]]

    /// Whether every column holds its values as rows in memory do, as in most stores that this
    /// engine has made.
    let isPlain: Bool

    /// The statements that created the full-text indexes of an existing store; nil for a new one,
    /// which has all of the model.
    private let fullTextTables: Set<String>?

    private enum Encoding {
        /// A number of an entity of this family, which the model numbers otherwise.
        case entityNumber(ClosedRange<Int>)
        /// Bytes behind a mark; see `ExternalData`.
        case marked(attribute: String, mayGoOut: Bool)
    }

    /// Which attributes have values with a mark.
    enum Marks {
        /// Those that the model allows to be stored outside.
        case asModel
        /// These columns, as `TABLE.COLUMN`, whatever the model says.
        case columns(Set<String>)
    }

    /// The layout of a new SQLite store, or of one that is made from a store of another model.
    ///
    /// - Parameters:
    ///   - numbers: The numbers of its entities, by their index; nil means those of the model.
    ///   - joinTables: The identifiers of relationships without an inverse that keep a join table.
    package convenience init(
        _ model: ManagedObjectModel, numbers: [Int64]? = nil, joinTables: Set<UInt32> = [],
        storeIdentifier: String
    ) {
        let naming = StoreNaming(model, numbers: numbers, joinTables: joinTables)
        self.init(
            model, naming, storeIdentifier: storeIdentifier, marks: .asModel, fullTextTables: nil)
    }

    /// The layout of an existing store.
    ///
    /// - Parameter entityNames: The entities that the store holds.
    /// - Throws: `StoreError` if the file lacks an entity, a table or a column.
    convenience init(
        _ model: ManagedObjectModel, _ catalog: StoreCatalog, storeIdentifier: String,
        entityNames: Set<String>, isUnrelatedModel: Bool, marks: Marks
    ) throws(StoreError) {
        let naming = try StoreNaming(
            model, catalog, entityNames: entityNames, isUnrelatedModel: isUnrelatedModel)
        self.init(
            model, naming, storeIdentifier: storeIdentifier, marks: marks,
            fullTextTables: catalog.fullTextTables)
    }

    init(
        _ model: ManagedObjectModel, _ naming: StoreNaming, storeIdentifier: String, marks: Marks,
        fullTextTables: Set<String>?, folded: FoldedColumns = .none
    ) {
        self.model = model
        self.folded = folded
        dialect = naming.dialect
        self.fullTextTables = fullTextTables
        self.storeIdentifier = storeIdentifier
        let numbers = naming.numbers
        self.numbers = numbers
        tables = naming.tables
        columns = naming.columns
        joinTables = naming.joinTables
        ownerColumns = Dictionary(
            grouping: model.entities.flatMap { entity in
                entity.properties.compactMap { property in
                    guard property.declaringEntityIndex == entity.index,
                        case .joinTable(let end)? = property.relationship?.storage, end.isOwner,
                        let join = naming.joinTables[end.index], join.isInRows
                    else { return nil }
                    return OwnerColumns(property: property, owner: entity, join: join)
                }
            }
        ) { model.destination(of: $0.property.relationship!).rootIndex }
        let isRenumbered = model.entities.contains { numbers[$0.index] != $0.number }
        let encodings = model.entities.map { entity in
            var encodings: [Int: Encoding] = [:]
            for property in entity.properties {
                guard let slot = property.slot else { continue }
                if isRenumbered, let entitySlot = property.entitySlot {
                    let destination = model.destination(of: property.relationship!)
                    encodings[entitySlot] = .entityNumber(destination.familyIndexes)
                } else if property.attributeType == .binaryData {
                    let allows = model.allowsExternalStorage(property)
                    let isMarked =
                        switch marks {
                        case .asModel: allows
                        case .columns(let columns):
                            columns.contains(
                                "\(naming.tables[entity.index]).\(naming.columns[entity.index][slot])"
                            )
                        }
                    guard isMarked else { continue }
                    // A unique index would not see that two files have the same data.
                    let isConstrained = entity.uniquenessConstraints.joined()
                        .contains(property.name)
                    encodings[slot] = .marked(
                        attribute: "\(entity.name).\(property.name)",
                        mayGoOut: allows && !isConstrained)
                }
            }
            return encodings
        }
        isPlain = !isRenumbered && encodings.allSatisfy(\.isEmpty)
        self.encodings = isPlain ? [] : encodings
    }

    // MARK: - Names

    package func table(of entity: Entity) -> String { tables[entity.index] }

    /// The columns of the slots.
    package func columns(of entity: Entity) -> [String] { columns[entity.index] }

    package func column(_ slot: Int, of entity: Entity) -> String { columns[entity.index][slot] }

    /// The column of a stored property: the value, or the key of a to-one destination.
    package func column(of property: Property) -> String {
        columns[property.declaringEntityIndex][property.slot!]
    }

    package func joinTable(_ end: JoinEnd) -> JoinTable { joinTables[end.index]! }

    /// The relationships without an inverse whose pairs are in the table of a root entity.
    func ownerColumns(of root: Entity) -> [OwnerColumns] { ownerColumns[root.index] ?? [] }

    var hasOwnerColumns: Bool { !ownerColumns.isEmpty }

    /// The columns of a root's table that belong to no slot.
    func namesOfOwnerColumns(of root: Entity) -> [String] {
        ownerColumns(of: root).flatMap(\.join.columnsInRows)
    }

    /// The table of a full-text index.
    ///
    /// - Throws: `FetchError.indexNotInStore`.
    func fullTextTable(_ index: FullTextIndex) throws(FetchError) -> FullTextTable {
        let table = FullTextTable(index, self)
        guard fullTextTables?.contains(table.creation) ?? true else {
            throw .indexNotInStore(index.name, entity: index.entity.name)
        }
        return table
    }

    // MARK: - Numbers of entities

    /// The number of an entity in the store's rows.
    package func number(of entity: Entity) -> Int64 { numbers[entity.index] }

    /// The entity that has the number in the store's rows.
    package func entityIndex(number: Int64) -> Int? { numbers.firstIndex(of: number) }

    /// SQL for the model's number of an entity of the family, from a column with the number in a
    /// row. Numbers outside the family become negative, which readers refuse.
    package func modelNumber(_ column: String, _ family: ClosedRange<Int>) -> String {
        translated(column, family, otherwise: " ELSE -abs(\(column))") { index in
            (from: numbers[index], to: Int64(index + 1))
        }
    }

    /// The columns of the table `t0` with a key and an entity number of the family, for `readKeys`.
    package func keyColumns(of entity: Entity) -> String {
        "t0.Z_PK, " + modelNumber("t0.Z_ENT", entity.familyIndexes)
    }

    /// SQL for the number in a row, from the model's.
    private func storedNumber(_ number: String, _ family: ClosedRange<Int>) -> String {
        translated(number, family, otherwise: "") { index in
            (from: Int64(index + 1), to: numbers[index])
        }
    }

    private func translated(
        _ sql: String, _ family: ClosedRange<Int>, otherwise: String,
        _ number: (Int) -> (from: Int64, to: Int64)
    ) -> String {
        guard !isPlain else { return sql }
        let pairs = family.map(number)
        let offset = pairs[0].to - pairs[0].from
        if pairs.allSatisfy({ $0.to - $0.from == offset }) {
            return offset == 0 ? sql : "(\(sql) + \(offset))"
        }
        let cases = pairs.map { " WHEN \($0.from) THEN \($0.to)" }.joined()
        return "(CASE \(sql)\(cases)\(otherwise) END)"
    }

    /// The numbers in `Z_ENT` of entities with consecutive indexes, in ascending order.
    package func numbers(of indexes: ClosedRange<Int>) -> [Int64] { numbers[indexes].sorted() }

    // MARK: - Values

    /// SQL for the value of a column as rows in memory have it.
    ///
    /// - Parameter column: The column with its alias.
    func reading(_ column: String, _ slot: Int, of entity: Entity) -> String {
        guard !isPlain else { return column }
        return switch encodings[entity.index][slot] {
        case nil: column
        case .entityNumber(let family): modelNumber(column, family)
        case .marked(let attribute, _): "\(ExternalData.reading)(\(column), '\(attribute)')"
        }
    }

    /// SQL for the value of a column as `RowSelection` reads it: a file is not read.
    func rowReading(_ column: String, _ slot: Int, of entity: Entity) -> String {
        isMarked(slot, of: entity) ? column : reading(column, slot, of: entity)
    }

    /// Whether values of an attribute have a mark of where they are kept.
    func isMarked(_ slot: Int, of entity: Entity) -> Bool {
        if !isPlain, case .marked = encodings[entity.index][slot] { true } else { false }
    }

    /// SQL for what a column gets for a value.
    package func writing(_ value: String, _ slot: Int, of entity: Entity) -> String {
        guard !isPlain else { return value }
        return switch encodings[entity.index][slot] {
        case nil: value
        case .entityNumber(let family): storedNumber(value, family)
        case .marked(let attribute, let mayGoOut):
            "\(ExternalData.writing)(\(value), \(mayGoOut ? 1 : 0), '\(attribute)')"
        }
    }

    /// The columns of these entities whose values have a mark, as `TABLE.COLUMN`.
    func markedColumns(of entities: [Entity]) -> [String] {
        guard !isPlain else { return [] }
        let columns = entities.flatMap { entity in
            encodings[entity.index].keys.filter { isMarked($0, of: entity) }.map {
                "\(table(of: entity)).\(column($0, of: entity))"
            }
        }
        return Set(columns).sorted()
    }
}

/// A join table as one end of its relationship sees it.
package struct JoinTable: Sendable, Hashable {
    package let name: String

    /// The column for the key of the object that has the relationship, and that for the
    /// destination's.
    package let sourceColumn: String
    package let destinationColumn: String

    /// The column for the destination's place among those of the source; nil if this end is not
    /// ordered.
    package let placeColumn: String?

    /// The same for the other end.
    package let inversePlaceColumn: String?

    /// Whether the pairs are in the rows of the destinations, one for each: the table is theirs, and
    /// `destinationColumn` its primary key.
    package var isInRows = false

    /// The columns of a pair in the destination's row.
    var columnsInRows: [String] { [sourceColumn, placeColumn].compactMap(\.self) }

    /// The table as the other end sees it.
    package var reversed: JoinTable {
        JoinTable(
            name: name, sourceColumn: destinationColumn, destinationColumn: sourceColumn,
            placeColumn: inversePlaceColumn, inversePlaceColumn: placeColumn,
            isInRows: isInRows)
    }
}

/// A to-many relationship without an inverse, as the table of its destination has it.
struct OwnerColumns: Sendable {
    let property: Property
    let owner: Entity
    let join: JoinTable
}

extension ManagedObjectModel {
    /// Whether a store of the entities with these names has the table of an entity, by entity index.
    package func haveTables(inStoreOf names: Set<String>) -> [Bool] {
        entities.map { entity in
            entities[entities[entity.rootIndex].familyIndexes].contains {
                names.contains($0.name)
            }
        }
    }

    fileprivate func allowsExternalStorage(_ property: Property) -> Bool {
        property.attributeType == .binaryData
            && attributeDescription(of: property)?.allowsExternalStorage == true
    }
}
