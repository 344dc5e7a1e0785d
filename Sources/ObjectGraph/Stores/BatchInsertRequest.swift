/// Inserts many rows of one entity in one transaction, past contexts, validation and the row cache (spec §6.2).
///
/// Attributes that are not given take their default or stay null; relationships cannot be set.
public struct BatchInsertRequest: Sendable {
    public var entityName: String
    let source: Source

    enum Source: Sendable {
        case objects([[String: AttributeValue]])
        case handler(@Sendable (inout BatchInsertRow) throws -> Bool)
    }

    /// One row for each dictionary of values by attribute name.
    public init(entityName: String, objects: [[String: AttributeValue]]) {
        self.entityName = entityName
        source = .objects(objects)
    }

    /// One row for each call of the handler until it returns true; the row of that call is not inserted.
    public init(
        entityName: String, rowHandler: @escaping @Sendable (inout BatchInsertRow) throws -> Bool
    ) {
        self.entityName = entityName
        source = .handler(rowHandler)
    }
}

/// The row that a batch insert is about to write; values go straight to the statement.
public struct BatchInsertRow: ~Copyable {
    let entity: Entity
    let statement: Statement
    // Of the entity, which the row keeps alive.
    let accessors: UnsafePointer<PropertyAccessor>
    let propertyCount: Int
    private var given = PropertyMask()
    /// What the last row left bound.
    private var bound = PropertyMask()

    init(_ entity: Entity, statement: Statement) {
        self.entity = entity
        self.statement = statement
        accessors = entity.accessors
        propertyCount = entity.properties.count
    }

    /// Sets an attribute by its name.
    ///
    /// - Throws: `StoreError` if the entity has no such persistent attribute, or the value is not acceptable to its type.
    public mutating func set(_ value: AttributeValue, forKey key: String) throws(StoreError) {
        guard let property = entity.property(named: key), let type = property.attributeType,
            let slot = property.slot
        else { throw StoreError(.unknownAttribute(key, entity: entity.name)) }
        guard let converted = value.converted(to: type) else {
            throw StoreError(.unacceptableValue(value, attribute: key, entity: entity.name))
        }
        statement.bind(converted, at: Self.parameter(slot))
        given.insert(property.index)
    }

    /// The parameter of a property's value, which the caller binds at once.
    @inline(__always)
    mutating func parameter(for propertyIndex: Int, slot: Int) -> Int32 {
        given.insert(propertyIndex)
        return Self.parameter(slot)
    }

    // Parameters 1 to 3 are the key, the entity number and the version.
    @inline(__always)
    private static func parameter(_ slot: Int) -> Int32 { Int32(slot + 4) }

    /// Gives omitted attributes their defaults, or null where an earlier row was bound.
    mutating func complete() throws {
        for index in 0..<propertyCount where !given.contains(index) {
            try bindOmitted(index)
        }
        bound = given
        given = PropertyMask()
    }

    private func bindOmitted(_ index: Int) throws {
        let property = entity.properties[index]
        guard let slot = property.slot else { return }
        if let value = property.defaultValue {
            statement.bind(value, at: Self.parameter(slot))
        } else if property.attributeType != nil, !property.isOptional {
            throw StoreError(
                .missingMandatoryValue(attribute: property.name, entity: entity.name))
        } else if bound.contains(index) {
            statement.bindNull(at: Self.parameter(slot))
        }
    }
}

extension Statement {
    /// Binds a value in the form in which its attribute's column keeps it (spec §8.5), copying its bytes.
    func bind(_ value: AttributeValue, at index: Int32) {
        switch value {
        case .null: bindNull(at: index)
        case .boolean(let value): bind(value ? 1 : 0 as Int64, at: index)
        case .integer(let value): bind(value, at: index)
        case .double, .decimal, .date: bind(value.double!, at: index)
        case .string(let value): bind(value, at: index)
        case .uri(let value): bind(value.absoluteString, at: index)
        case .data(let value): bind(blob: value, at: index)
        case .uuid(let value):
            withUnsafeBytes(of: value.uuid) { bind(blob: Array($0), at: index) }
        case .objectID(let value): bind(value.reference, at: index)
        case .transformable(let value):
            if let data = value.storedData {
                bind(blob: data, at: index)
            } else {
                bindNull(at: index)
            }
        }
    }
}
