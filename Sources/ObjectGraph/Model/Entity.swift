/// An entity with everything resolved: ancestors, all properties, the layout of its rows.
///
/// `ManagedObjectModel` creates it, and it never changes. Entities refer to each other by their
/// index in the model.
package final class Entity: Sendable {
    /// The capacity of the bit masks of changed properties.
    static let maximumPropertyCount = 256

    package let description: EntityDescription
    package var name: String { description.name }

    private let lazyTraceName = LazyTraceName()

    /// The entity in traces.
    var traceName: TraceName { lazyTraceName.get { TraceName(name) } }

    /// The position in the model: root entities in name order without regard to case, each followed
    /// by its descendants depth first (spec §8.2).
    package let index: Int
    package let superentityIndex: Int?
    package let rootIndex: Int

    /// The entity itself and its descendants. Their indexes are consecutive.
    package let familyIndexes: ClosedRange<Int>

    /// Inherited properties first, in the order of declaration; attributes before relationships.
    package let properties: [Property]
    package let layout: RowLayout
    let versionHash: [UInt8]

    /// The version hash that stores have which were made when transient attributes counted.
    let formerVersionHash: [UInt8]

    /// The uniqueness constraints of the entity and its ancestors.
    package let uniquenessConstraints: [[String]]

    /// The properties by name, the elements of composite attributes by key path.
    private let propertyIndexes: [String: Int]

    /// The composite attributes, without those that are elements of others.
    let composites: [Property]

    /// The values of a new object, by property index.
    let defaultValues: [(index: Int, value: AttributeValue)]

    /// The attributes and to-one relationships that validation must check: mandatory ones, narrow
    /// integers, values kept as reals, those with rules, and composites with mandatory elements.
    let validated: PropertyMask

    /// The to-many relationships with a minimum or maximum count.
    let counted: PropertyMask

    /// The attributes whose values a row has as they are: neither composite nor transformable, and
    /// never in a file.
    let plainAttributes: PropertyMask

    /// The to-one relationships, by property index.
    let toOneIndexes: [Int]
    let transientIndexes: [Int]

    /// The derived attributes, inherited ones included, which the store computes.
    let derived: PropertyMask

    /// The ordered to-many relationships, by property index.
    let orderedIndexes: [Int]

    /// `properties` again, in the form for reading a property of an object.
    // nonisolated(unsafe): filled in `init`, never written again, and freed with the entity.
    nonisolated(unsafe) let accessors: UnsafePointer<PropertyAccessor>

    init(
        description: EntityDescription, index: Int, superentityIndex: Int?, rootIndex: Int,
        familyIndexes: ClosedRange<Int>, properties: [Property], layout: RowLayout,
        versionHash: [UInt8], formerVersionHash: [UInt8], uniquenessConstraints: [[String]]
    ) {
        self.description = description
        self.index = index
        self.superentityIndex = superentityIndex
        self.rootIndex = rootIndex
        self.familyIndexes = familyIndexes
        self.properties = properties
        self.layout = layout
        self.versionHash = versionHash
        self.formerVersionHash = formerVersionHash
        self.uniquenessConstraints = uniquenessConstraints
        self.propertyIndexes = Dictionary(
            uniqueKeysWithValues: properties.lazy.filter { !$0.isPlace }
                .map { ($0.name, $0.index) })
        composites = properties.filter { $0.isComposite && !$0.isElement }
        defaultValues = properties.compactMap { property in
            property.defaultValue.map { (property.index, $0) }
        }
        var (validated, counted) = (PropertyMask(), PropertyMask())
        for property in properties {
            if property.kind == .toMany {
                let relationship = property.relationship!
                // An optional one may also be empty.
                if relationship.minCount > (property.isOptional ? 1 : 0)
                    || relationship.maxCount > 1
                {
                    counted.insert(property.index)
                }
            } else if property.isComposite {
                // A mandatory composite with a mandatory element is checked with that.
                let isWhole = property.elements.allSatisfy(\.property.isOptional)
                if !property.isElement, property.requiresElements || !property.isOptional && isWhole
                {
                    validated.insert(property.index)
                }
            } else if !property.isOptional || property.rules != nil
                || property.attributeType == .integer16 || property.attributeType == .integer32
                || property.attributeType?.slotKind == .real
            {
                validated.insert(property.index)
            }
        }
        self.validated = validated
        self.counted = counted
        plainAttributes = properties.reduce(into: PropertyMask()) { plain, property in
            if property.hasPlainValue { plain.insert(property.index) }
        }
        toOneIndexes = properties.filter { $0.kind == .toOne }.map(\.index)
        transientIndexes = properties.filter(\.isTransient).map(\.index)
        derived = properties.reduce(into: PropertyMask()) { derived, property in
            if property.derivation != nil { derived.insert(property.index) }
        }
        orderedIndexes = properties.filter { $0.relationship?.isOrdered == true }.map(\.index)
        let accessors = UnsafeMutablePointer<PropertyAccessor>.allocate(
            capacity: properties.count)
        for property in properties {
            accessors[property.index] = PropertyAccessor(property, layout)
        }
        self.accessors = UnsafePointer(accessors)
    }

    deinit { accessors.deallocate() }

    /// The number of the entity in rows in memory, and in the `Z_ENT` columns of new stores.
    package var number: Int64 { Int64(index + 1) }
    package var isAbstract: Bool { description.isAbstract }
    package var hasDescendants: Bool { familyIndexes.count > 1 }

    var toManyRelationships: [Relationship] {
        properties.compactMap { $0.kind == .toMany ? $0.relationship : nil }
    }

    package func property(named name: String) -> Property? {
        property(at: name).flatMap { $0.isElement ? nil : $0 }
    }

    /// The property of this name, or the element of a composite attribute with this key path.
    package func property(at keyPath: String) -> Property? {
        propertyIndexes[keyPath].map { properties[$0] }
    }

    /// The properties, with all elements of a composite attribute of which they have one: a
    /// composite changes as a whole (spec §1.3).
    func completing(_ properties: PropertyMask) -> PropertyMask {
        var completed = properties
        for composite in composites where composite.leaves.intersects(properties) {
            completed.formUnion(composite.leaves)
        }
        return completed
    }

    /// Whether the entity is the other one or its descendant.
    func isKind(of other: Entity) -> Bool { other.familyIndexes.contains(index) }

    /// A mask of the slots that must have a value, if a row can violate nothing else in the model.
    /// Otherwise nil.
    var requiredSlots: UInt16? {
        guard counted.isEmpty else { return nil }
        var slots: UInt16? = 0
        validated.forEach { index in
            let accessor = accessors[index]
            if accessor.hasRules { slots = nil }
            guard accessor.isMandatory, let known = slots else { return }
            let hasBit = (0..<RowLayout.headerSlotCount).contains(Int(accessor.slot))
            slots = hasBit ? known | 1 << UInt16(accessor.slot) : nil
        }
        return slots
    }
}

/// The data for finding a property's value in a row: `Property` without references, for code that
/// runs for each value of each object.
struct PropertyAccessor: BitwiseCopyable {
    /// The identifier of the property. It shows when a cached look-up belongs to another entity.
    let identifier: UInt32

    /// -1 without a slot.
    let slot: Int16

    /// The slot of the destination's entity number; -1 without one.
    let entitySlot: Int16

    /// The offset of the slot from the start of the row.
    let byteOffset: Int32

    /// The kind of an attribute's slot, or of the foreign key of a to-one relationship.
    let slotKind: SlotKind
    let isToOne: Bool
    let isComposite: Bool
    let isMandatory: Bool
    let hasRules: Bool

    /// 16 or 32 for an integer that can be out of range; otherwise 0.
    let integerBitWidth: UInt8

    /// Whether the slot holds the attribute's value itself, not a form made for the store.
    let isPlain: Bool

    init(_ property: Property, _ layout: RowLayout) {
        identifier = property.identifier
        slot = Int16(property.slot ?? -1)
        entitySlot = Int16(property.entitySlot ?? -1)
        byteOffset = Int32(layout.slotsByteOffset + (property.slot ?? 0) * 8)
        slotKind = property.attributeType?.slotKind ?? .integer
        isToOne = property.kind == .toOne
        isMandatory = !property.isOptional && property.kind != .toMany
        isComposite = property.isComposite
        hasRules = property.rules != nil || property.requiresElements
        integerBitWidth =
            switch property.attributeType {
            case .integer16: 16
            case .integer32: 32
            default: 0
            }
        isPlain =
            switch property.attributeType {
            case .integer16, .integer32, .integer64, .boolean, .double, .float, .date, .string:
                property.slot != nil
            default: false
            }
    }

    /// Whether an integer is in the range of the attribute's type.
    @inline(__always)
    func holds(_ integer: Int64) -> Bool {
        guard integerBitWidth > 0 else { return true }
        let limit: Int64 = 1 << Int64(integerBitWidth - 1)
        return integer >= -limit && integer < limit
    }
}
