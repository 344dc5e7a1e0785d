/// The indexes, tables and files of a store of items, besides the ten columns of an item.
struct ItemFeatures: OptionSet, Sendable, Codable, Hashable {
    let rawValue: Int

    /// The number has an index, so that pages are found without a scan.
    static let indexedNumber = ItemFeatures(rawValue: 1 << 0)
    /// A constraint of the engine's model makes the number unique; peers find its index in the file.
    static let uniqueNumber = ItemFeatures(rawValue: 1 << 1)
    /// Ten items each are in a rack.
    static let racks = ItemFeatures(rawValue: 1 << 2)
    /// A derived attribute of the racks counts their items.
    static let countedRacks = ItemFeatures(rawValue: 1 << 3)
    /// The notes are an ``ItemText`` and have a full-text index.
    static let searchableNote = ItemFeatures(rawValue: 1 << 4)
    /// Each item has a picture, in a file of its own.
    static let pictures = ItemFeatures(rawValue: 1 << 5)
}
