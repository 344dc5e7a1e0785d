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

    /// What a new object starts with, by property index.
    let defaultValues: [(index: Int, value: AttributeValue)]

    /// The properties that must have a value before a save, and those of a narrow integer type, by property index.
    let validatedIndexes: [Int]

    /// `properties` once more in the form that reading a property of an object needs.
    // nonisolated(unsafe): filled in `init`, never written again, and freed with the entity.
    nonisolated(unsafe) let accessors: UnsafePointer<PropertyAccessor>

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
        defaultValues = properties.compactMap { property in
            property.defaultValue.map { (property.index, $0) }
        }
        validatedIndexes = properties.filter {
            !$0.isOptional || $0.relationship.map { $0.minCount > 0 || $0.maxCount > 1 } ?? false
                || $0.attributeType == .integer16 || $0.attributeType == .integer32
        }.map(\.index)
        let accessors = UnsafeMutablePointer<PropertyAccessor>.allocate(
            capacity: properties.count)
        for property in properties {
            accessors[property.index] = PropertyAccessor(
                identifier: property.identifier, slot: Int32(property.slot ?? -1),
                byteOffset: Int32(layout.slotsByteOffset + (property.slot ?? 0) * 8))
        }
        self.accessors = UnsafePointer(accessors)
    }

    deinit { accessors.deallocate() }

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

/// What it takes to find the value of a property in a row.
struct PropertyAccessor: BitwiseCopyable {
    /// That of the property, so that a look-up remembered from another entity is recognised as wrong.
    let identifier: UInt32

    /// -1 without a slot.
    let slot: Int32
    let byteOffset: Int32
}
