import Foundation

/// Inserts many rows of one entity in one transaction, without contexts, validation or the row
/// cache (spec §6.2).
///
/// Omitted attributes get their default or stay null. Relationships cannot be set. Where a stored
/// row has the values of a uniqueness constraint already, the merge policy of the context decides:
/// see `ManagedObjectContext.execute`.
public struct BatchInsertRequest: Sendable {
    public var entityName: String

    /// The identifiers of the stores to choose from; nil means all. The rows go to the first store
    /// that holds the entity and can be written.
    public var affectedStores: [String]?

    /// Makes the handler of one execution, which fills a row a call and returns true after the last
    /// one.
    package let makeHandler: @Sendable (ManagedObjectModel, Entity) throws -> RowHandler

    package typealias RowHandler = (inout BatchInsertRow) throws -> Bool

    init(
        entityName: String,
        makeHandler: @escaping @Sendable (ManagedObjectModel, Entity) throws -> RowHandler
    ) {
        self.entityName = entityName
        self.makeHandler = makeHandler
    }

    /// One row for each dictionary of values by attribute name, or by the key path of an element of
    /// a composite attribute.
    public init(entityName: String, objects: [[String: AttributeValue]]) {
        self.init(entityName: entityName) { _, entity in
            var rest = objects[...]
            let hasComposites = !entity.composites.isEmpty
            return { row in
                guard let values = rest.popFirst() else { return true }
                if hasComposites {
                    // An element follows its composite attribute, whose value it changes.
                    for (name, value) in values.sorted(by: { $0.key < $1.key }) {
                        try row.set(value, forKey: name)
                    }
                } else {
                    for (name, value) in values { try row.set(value, forKey: name) }
                }
                return false
            }
        }
    }

    /// One row for each call of the handler, until it returns true; that call inserts no row.
    ///
    /// The handler runs within the transaction. It must not save to the store. It also must not
    /// fetch from a store in memory, or from a store whose coordinator has the lock policy
    /// `serialized`. Such a call would wait for itself forever, so the process is stopped.
    public init(
        entityName: String, rowHandler: @escaping @Sendable (inout BatchInsertRow) throws -> Bool
    ) {
        self.init(entityName: entityName) { _, _ in rowHandler }
    }

    /// One row for each value of a sequence, encoded directly into the row: one value is in memory
    /// at a time.
    ///
    /// The keys of a value are names of attributes. A nil sets null; what `encode(to:)` leaves out
    /// takes its default. A transformable attribute takes a value of its transformer's type, a
    /// composite attribute a value whose keys are names of its elements. Every other value of a key
    /// must be single: a number, a text, a date, or a type that encodes itself as one of these.
    ///
    /// `execute` throws a `RowEncodingError` for any other value.
    ///
    /// - Parameters:
    ///   - entityName: The entity of the rows.
    ///   - values: Iterated once for each execution, within the transaction. The iterator is bound
    ///     as a `rowHandler` is.
    public init<Values: Sequence & Sendable>(
        entityName: String, encoding values: Values
    ) where Values.Element: Encodable {
        self.init(entityName: entityName) { _, entity in
            var rest = values.makeIterator()
            let encoder = RowEncoder(entity)
            return { row in
                guard let value = rest.next() else { return true }
                try encoder.encode(value, into: &row)
                return false
            }
        }
    }

    /// One row for each element of a JSON array in a file, which is read as a stream: one element
    /// is in memory at a time.
    ///
    /// `execute` throws a `JSONArrayError` for a file of another form, and whatever `fill` throws.
    ///
    /// - Parameters:
    ///   - entityName: The entity of the rows.
    ///   - file: A file in UTF-8.
    ///   - type: What each element is decoded as.
    ///   - decoder: Says how dates, data and keys are written.
    ///   - fill: Sets the attributes of a row. It is bound as a `rowHandler` is.
    public init<Element: Decodable & Sendable>(
        entityName: String, jsonArray file: URL, of type: Element.Type,
        decoder: JSONDecoder = JSONDecoder(),
        fill: @escaping @Sendable (Element, inout BatchInsertRow) throws -> Void
    ) {
        self.init(entityName: entityName) { _, _ in
            var elements = try JSONArrayReader(file)
            return { row in
                guard let text = try elements.next() else { return true }
                let element: Element
                do {
                    element = try decoder.decode(Element.self, from: text)
                } catch {
                    throw elements.undecodable(error)
                }
                try fill(element, &row)
                return false
            }
        }
    }
}
