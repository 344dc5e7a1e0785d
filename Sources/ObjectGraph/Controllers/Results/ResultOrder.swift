import Foundation

/// The membership, order and sections of a results controller, compiled for objects in memory.
struct ResultOrder {
    let context: ManagedObjectContext
    let entity: Entity
    let request: FetchRequest
    let section: Operand?

    private let sort: CompiledSort

    /// The attributes that decide an object's place, if no value of another object does.
    private let properties: [Property]?

    /// The related objects whose values decide places.
    let related: RelatedSources

    /// - Throws: `FetchError` for mistakes in the sort keys and the section key.
    init(
        _ request: FetchRequest, _ entity: Entity, section: ObjectExpression?,
        in context: ManagedObjectContext
    ) throws(FetchError) {
        self.context = context
        self.entity = entity
        self.request = request
        var resolver = ConditionResolver(entity: entity, model: context.model)
        let reached = ReachedEntities()
        resolver.reached = reached
        sort = try CompiledSort(request.sortKeys, resolver)
        if let section {
            self.section = try resolver.operand(section)
        } else {
            self.section = nil
        }
        let operands = sort.keys.map(\.operand) + (self.section.map { [$0] } ?? [])
        related = RelatedSources(operands, reached, context.model)
        let own = operands.compactMap(\.ownAttribute)
        properties = own.count == operands.count ? own : nil
    }

    func compare(_ first: ManagedObject, _ second: ManagedObject) -> Int {
        sort.compare(ObjectSubject(object: first), ObjectSubject(object: second))
    }

    func sectionName(of object: ManagedObject) -> String {
        section.map { $0.value(for: ObjectSubject(object: object)).sectionName } ?? ""
    }

    /// A digest of the values that decide the object's place. Objects with equal digests are taken
    /// to have equal values; two values share one of 2⁶⁴ digests by chance only.
    ///
    /// Fires no fault. Nil if the values are not at hand, or if some belong to other objects.
    func stamp(of object: ManagedObject) -> Int? {
        guard let properties else { return nil }
        var hasher = Hasher()
        for property in properties {
            if !object.isFault || object.changesBesideDraft?.contains(property.index) == true {
                hasher.combine(object.attributeValue(of: property))
            } else if property.slot != nil, let row = object.row {
                hasher.combine(object.storedValue(of: property, in: row))
            } else {
                return nil
            }
        }
        return hasher.finalize()
    }

    /// The objects among those given that belong to the list now. Reads missing rows in one
    /// statement.
    func members(of objects: [ManagedObject]) throws -> Set<ManagedObject> {
        try context.load(objects, entity)
        let predicate = try request.predicate.map {
            try CompiledPredicate($0, entity, in: context)
        }
        return Set(
            objects.lazy.filter { object in
                !object.isDeleted && !object.state.isDetached && object.mayHaveRow
                    && predicate?.matches(ObjectSubject(object: object)) ?? true
            })
    }

    /// The object of an item, which may be a fault.
    func object(of item: ResultList.Item) -> ManagedObject {
        item.object
            ?? context.object(
                item.key.key, entityIndex: item.key.entityIndex, storeNumber: item.storeNumber)
    }

    func objectID(of key: EntityKey, _ storeNumber: Int) -> ManagedObjectID {
        ManagedObjectID(
            scope: context.binding(key.entityIndex, storeNumber).scope, reference: key.key)
    }
}

extension ManagedObject {
    /// False for a fault whose row was just looked for and not found.
    fileprivate var mayHaveRow: Bool {
        !isFault || row != nil || isInserted || state.life.isInsertion
    }
}

extension Operand {
    /// The attribute if the value is one of the object itself.
    fileprivate var ownAttribute: Property? {
        guard case .attribute(let path, let property) = self, path.level == 0, path.steps.isEmpty
        else { return nil }
        return property
    }
}

extension AttributeValue {
    /// The value as the name of a section; nil gives an empty one.
    var sectionName: String {
        switch self {
        case .null: ""
        case .boolean(let value): value ? "1" : "0"
        case .integer(let value): "\(value)"
        case .double(let value): "\(value)"
        case .decimal(let value): "\(value)"
        case .string(let value): value
        case .date: messageText
        case .data(let value): value.base64EncodedString()
        case .uuid(let value): value.uuidString
        case .uri(let value): value.absoluteString
        case .objectID(let value): "\(value)"
        case .transformable(let value): "\(value)"
        case .composite(let values): "\(values)"
        }
    }
}
