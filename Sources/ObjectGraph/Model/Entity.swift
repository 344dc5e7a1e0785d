/// An entity with everything about it worked out: ancestors, all properties, the layout of its rows, its columns.
///
/// Made by `ManagedObjectModel` and immutable from then on. Entities refer to each other by their index in the model.
final class Entity: Sendable {
    /// What the bit masks of changed properties can hold.
    static let maximumPropertyCount = 256

    let description: EntityDescription
    let name: String

    /// The position in the model: root entities in name order, each followed by its descendants depth first (spec §8.2).
    let index: Int
    let superentityIndex: Int?
    let rootIndex: Int

    /// The entity itself and its descendants; their indexes have no gap.
    let familyIndexes: ClosedRange<Int>

    /// Inherited properties first, in the order of their declaration; attributes before relationships.
    let properties: [Property]
    let layout: RowLayout
    let versionHash: [UInt8]

    /// The uniqueness constraints of the entity and its ancestors.
    let uniquenessConstraints: [[String]]

    /// The table of the root entity, shared by its descendants.
    let table: String

    /// The column of each slot of the layout.
    let columns: [String]
    private let propertyIndexes: [String: Int]

    init(
        description: EntityDescription, index: Int, superentityIndex: Int?, rootIndex: Int,
        familyIndexes: ClosedRange<Int>, properties: [Property], layout: RowLayout,
        versionHash: [UInt8], uniquenessConstraints: [[String]], table: String, columns: [String]
    ) {
        self.description = description
        self.name = description.name
        self.index = index
        self.superentityIndex = superentityIndex
        self.rootIndex = rootIndex
        self.familyIndexes = familyIndexes
        self.properties = properties
        self.layout = layout
        self.versionHash = versionHash
        self.uniquenessConstraints = uniquenessConstraints
        self.table = table
        self.columns = columns
        self.propertyIndexes = Dictionary(
            uniqueKeysWithValues: properties.map { ($0.name, $0.index) })
    }

    /// The number that stands for the entity in `Z_ENT` columns.
    var number: Int64 { Int64(index + 1) }
    var isAbstract: Bool { description.isAbstract }
    var hasDescendants: Bool { familyIndexes.count > 1 }

    func property(named name: String) -> Property? {
        propertyIndexes[name].map { properties[$0] }
    }

    /// Whether the entity is the other one or descends from it.
    func isKind(of other: Entity) -> Bool { other.familyIndexes.contains(index) }
}
