import Foundation

/// How a value of a dictionary result is read from a row.
struct DictionaryColumn: Sendable, Hashable {
    enum Decoding: Sendable, Hashable {
        case attribute(AttributeType)
        /// An integer or a double-precision value, as SQLite returns it.
        case number
        /// A primary key of the entity with this index.
        case objectID(entityIndex: Int)
        /// A primary key, and an entity number in the next column: of the entity with this index or
        /// of a descendant.
        case objectIDWithEntity(entityIndex: Int)

        var columnCount: Int32 {
            if case .objectIDWithEntity = self { 2 } else { 1 }
        }
    }

    let name: String

    /// The position in the row, from 0.
    let position: Int32
    let decoding: Decoding

    /// The value in the current row; nil for NULL.
    ///
    /// - Parameter objectID: Makes an identifier from the index of an entity and a primary key.
    /// - Throws: `StoreError` for a reference with an impossible entity or key.
    func value(
        in row: some StoredRow, model: ManagedObjectModel,
        objectID: (_ entityIndex: Int, _ key: Int64) -> ManagedObjectID
    ) throws(StoreError) -> AttributeValue? {
        let value = row.value(at: position)
        if value.isNull { return nil }
        func require(_ value: some StoredValue, _ kind: SlotKind) throws(StoreError) {
            guard value.isDamaged(as: kind) else { return }
            throw StoreError(.damagedValue("a value of '\(name)' is not of its type"))
        }
        func identifier(
            _ entityNumber: Int64, _ entityIndex: Int
        ) throws(StoreError) -> AttributeValue {
            try require(value, .integer)
            let id = try EntityKey(
                number: entityNumber, key: value.integer, of: model.entities[entityIndex])
            return .objectID(objectID(id.entityIndex, id.key))
        }
        switch decoding {
        case .attribute(let type):
            try require(value, type.slotKind)
            return value.attributeValue(of: type)
        case .number:
            let isInteger = row.isInteger(at: position)
            try require(value, isInteger ? .integer : .real)
            return isInteger ? .integer(value.integer) : .double(value.real)
        case .objectID(let entityIndex):
            return try identifier(Int64(entityIndex + 1), entityIndex)
        case .objectIDWithEntity(let entityIndex):
            return try identifier(row.value(at: position + 1).integer, entityIndex)
        }
    }
}

extension FetchTranslation {
    /// The current row of a dictionary fetch. A NULL has no entry.
    func dictionary(
        ofRow row: some StoredRow, model: ManagedObjectModel,
        objectID: (_ entityIndex: Int, _ key: Int64) -> ManagedObjectID
    ) throws(StoreError) -> [String: AttributeValue] {
        var dictionary: [String: AttributeValue] = [:]
        dictionary.reserveCapacity(columns.count)
        for column in columns {
            dictionary[column.name] = try column.value(
                in: row, model: model, objectID: objectID)
        }
        return dictionary
    }
}

extension StoredValue {
    /// The value of an attribute's column, as written by `SQLBinding` (spec §8.5); nil if it cannot
    /// be read as one.
    func attributeValue(of type: AttributeType) -> AttributeValue? {
        switch type {
        case .integer16, .integer32, .integer64: .integer(integer)
        case .boolean: .boolean(integer != 0)
        case .double, .float: .double(real)
        case .decimal: Decimal(shortest: real).map { .decimal($0) }
        case .date: .date(Date(timeIntervalSinceReferenceDate: real))
        case .string: .string(string)
        case .uri: URL(string: string).map { .uri($0) }
        // Raw data: dictionaries have no transformed values.
        case .binaryData, .transformable: .data(Data(blob))
        case .undefined, .objectID, .composite: nil
        case .uuid:
            blob.count == 16 ? .uuid(UUID(uuid: blob.loadUnaligned(as: uuid_t.self))) : nil
        }
    }
}
