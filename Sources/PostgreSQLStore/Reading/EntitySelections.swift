#if PostgreSQL
import ObjectGraph
import Synchronization

/// The column lists of a store's entities, and the statements that are made of them, each once.
final class EntitySelections: Sendable {
    let layout: StoreLayout

    /// The columns of every entity, alone and with its descendants, by entity index.
    private let own: [RowSelection]
    private let families: [RowSelection]

    /// The statements that read the members of relationships.
    private let memberSelects = Mutex<[MemberSelect: String]>([:])

    /// How many rows of members are read at once. About as many fill a slab.
    static let maximumMemberCount = 256

    /// The translations of fetches of rows.
    let translations = TranslationCache()

    init(_ layout: StoreLayout) {
        self.layout = layout
        func selections(includesSubentities: Bool) -> [RowSelection] {
            layout.model.entities.map {
                // No value is in a file.
                RowSelection(
                    $0, includesSubentities: includesSubentities, layout: layout, folder: "")
            }
        }
        own = selections(includesSubentities: false)
        families = selections(includesSubentities: true)
    }

    func rows(of entity: Entity, includesSubentities: Bool) -> RowSelection {
        includesSubentities ? families[entity.index] : own[entity.index]
    }

    /// What is selected of the members of a relationship.
    struct MemberSelect: Hashable {
        enum Form: Hashable {
            /// Their identities, for one owner.
            case keys
            /// Their rows, for one owner, but at most one more than `maximumMemberCount`.
            case rows
            /// Their rows and the key of the owner, for several owners.
            case rowsWithOwner
        }

        let ownerIndex: Int
        let propertyIndex: Int
        let form: Form

        init(_ property: Property, _ owner: Entity, _ form: Form) {
            ownerIndex = owner.index
            propertyIndex = property.index
            self.form = form
        }
    }

    /// The statement, whose parameter is the key of the owner, or an array of such keys.
    func select(_ property: Property, _ owner: Entity, _ form: MemberSelect.Form) -> String {
        let key = MemberSelect(property, owner, form)
        return memberSelects.withLock { selects in
            if let known = selects[key] { return known }
            let destination = layout.model.destination(of: property.relationship!)
            let columns =
                form == .keys
                ? layout.keyColumns(of: destination) : families[destination.index].columns
            let isOfSeveral = form == .rowsWithOwner
            var made = layout.select(
                columns, withOwner: isOfSeveral, destinationsOf: property, owner,
                where: isOfSeveral ? "= ANY($1)" : "= $1")
            if form == .rows { made += " LIMIT \(Self.maximumMemberCount + 1)" }
            selects[key] = made
            return made
        }
    }

    /// The row of exactly this entity with the key that is the parameter.
    func selectRow(of entity: Entity) -> String {
        // A table that several entities share may have a row of another entity with the key.
        let isShared = entity.hasDescendants || entity.superentityIndex != nil
        let condition = isShared ? " AND t0.Z_ENT = \(layout.number(of: entity))" : ""
        return
            "SELECT \(own[entity.index].columns) FROM \(layout.table(of: entity)) t0 WHERE t0.Z_PK = $1\(condition)"
    }

    /// The rows of an entity's family with the keys that are the parameter.
    func selectRows(of entity: Entity) -> String {
        "SELECT \(families[entity.index].columns) FROM \(layout.table(of: entity)) t0 WHERE t0.Z_PK = ANY($1)"
    }
}
#endif
