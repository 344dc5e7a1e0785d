/// How the history of a store records the objects of one entity (spec §8.7).
package struct HistoryEntity: Sendable {
    package let entity: Entity

    /// The columns of the preserved attributes by the number of their tombstone; nil for one whose
    /// values are never kept.
    package let tombstones: [(attribute: Property, column: String?)]

    /// The names of all properties that can be recorded.
    private let names: Set<String>

    /// By bit: the property that a change of it shows as.
    private let bits: [String]

    /// By property index: the bits that a change of it sets.
    private let bitsOfProperties: [[Int]]

    /// Whether it is known which bit stands for which property. Core Data's order is known for
    /// entities without composite attributes and without columns for places and for the entities of
    /// destinations.
    private let isOrderKnown: Bool

    package init(_ entity: Entity, _ layout: StoreLayout, isOfCoreData: Bool) {
        self.entity = entity
        let visible = entity.properties.filter { !$0.isHidden }
        let stored = visible.filter { $0.slot != nil || $0.isComposite }.sortedByName
        let toMany = visible.filter { $0.kind == .toMany }.sortedByName
        names = Set((stored + toMany).map(\.name))
        var bits = (stored + toMany).map(\.name)
        var bitsOfProperties = entity.properties.map { _ in [Int]() }
        for (bit, property) in (stored + toMany).enumerated() {
            bitsOfProperties[property.index] = [bit]
            property.leaves.forEach { bitsOfProperties[$0] = [bit] }
        }
        for property in stored where property.relationship != nil {
            // A member's place in an ordered relationship belongs to its own end.
            let place = layout.model.inverse(of: property.relationship!)?.relationship?.placeIndex
            if let place {
                bitsOfProperties[place] = [bits.count, bitsOfProperties[property.index][0]]
                bits.append(property.name)
            }
            if property.entitySlot != nil {
                bitsOfProperties[property.index].append(bits.count)
                bits.append(property.name)
            }
        }
        self.bits = bits
        self.bitsOfProperties = bitsOfProperties
        isOrderKnown =
            !isOfCoreData || entity.composites.isEmpty && bits.count == stored.count + toMany.count
        let columns = entity.properties.filter { $0.slot != nil && !$0.isPlace }
        tombstones = columns.sortedByName.compactMap { property in
            guard let attribute = layout.model.attributeDescription(of: property),
                attribute.preservesValueInHistoryOnDeletion
            else { return nil }
            let isKept =
                !attribute.allowsExternalStorage && !layout.isMarked(property.slot!, of: entity)
            return (property, isKept ? layout.column(of: property) : nil)
        }
    }

    // MARK: - Bitmaps, the most significant bit of a byte first

    /// The bitmap for an update of these properties. Where the order is unknown, all bits are set.
    package func bitmap(of properties: PropertyMask) -> [UInt8] {
        var bitmap = [UInt8](repeating: 0, count: (bits.count + 7) / 8)
        func set(_ bit: Int) { bitmap[bit / 8] |= 0x80 >> (bit % 8) }
        if isOrderKnown {
            properties.forEach { bitsOfProperties[$0].forEach(set) }
        } else {
            bits.indices.forEach(set)
        }
        return bitmap
    }

    /// The names of the properties of a bitmap; all names if it does not tell.
    package func names(of bitmap: UnsafeRawBufferPointer) -> Set<String> {
        knownNames(of: bitmap) ?? names
    }

    /// The names of the properties of a bitmap; nil if it does not tell.
    func knownNames(of bitmap: UnsafeRawBufferPointer) -> Set<String>? {
        guard isOrderKnown, bitmap.count == (bits.count + 7) / 8 else { return nil }
        var found: Set<String> = []
        for (bit, name) in bits.enumerated() where bitmap[bit / 8] & 0x80 >> (bit % 8) != 0 {
            found.insert(name)
        }
        return found
    }
}

extension [Property] {
    /// In binary order.
    fileprivate var sortedByName: [Property] {
        sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
    }
}
