/// Objects that are being decoded: read as drafts, then found or made, then changed.
///
/// Everything that can fail comes before the first object is changed (spec §2.14).
final class DecodedGraph<Object: ManagedObject> {
    private let context: ManagedObjectContext
    private let model: ManagedObjectModel
    private let expected: Entity?
    private var reader: DraftReader

    /// The outermost objects, and not those within them.
    private var roots: [ObjectDraft] = []

    /// In the order in which the data mention them first.
    private var targets: [ObjectTarget] = []
    private var targetsByObject: [ManagedObject: ObjectTarget] = [:]

    init(_ decoder: any Decoder) throws {
        guard
            let context = decoder.userInfo[.managedObjectContext] as? ManagedObjectContext
        else { throw ObjectCodingError.decoding(.noContext, "\(Object.self)", decoder.codingPath) }
        context.checkQueue()
        self.context = context
        model = context.model
        reader = DraftReader(
            model,
            refusesUnknownKeys: decoder.userInfo[.refusesUnknownKeys] as? Bool ?? false)
        do throws(ObjectCodingError) {
            expected = try model.codedEntity(
                of: Object.self, orNamed: decoder.userInfo[.managedEntityName] as? String)
        } catch {
            throw ObjectCodingError.decoding(error.reason, error.entity, decoder.codingPath)
        }
    }

    /// - Returns: The only object.
    func object(from decoder: any Decoder) throws -> Object {
        roots = [try reader.read(from: decoder, expecting: expected, class: Object.self)]
        return try apply()[0]
    }

    func objects(from decoder: any Decoder) throws -> [Object] {
        roots = try reader.readList(from: decoder, expecting: expected, class: Object.self)
        return try apply()
    }

    /// Finds or makes the objects of the drafts and gives them what the data say.
    private func apply() throws -> [Object] {
        try context.requiringReads {
            try resolve()
            try readWhatChanges()
        }
        try insertNew()
        for target in targets where !target.isNew { target.assignValues() }
        for target in targets { target.assignDestinations() }
        // `resolve` has compared the classes.
        return roots.map { unsafeDowncast($0.target.object!, to: Object.self) }
    }

    // MARK: - Finding

    private func resolve() throws {
        let keys = reader.drafts.map { draft in
            draft.entity.uniqueConstraints(in: model).compactMap { constraint in
                UniqueKey(constraint) { name in
                    draft.values.last { $0.property.name == name }?.value
                }
            }
        }
        var known = try existingTargets(with: keys.flatMap { $0 })
        for (draft, keys) in zip(reader.drafts, keys) {
            var found: ObjectTarget?
            for target in keys.compactMap({ known[$0] }) {
                guard found == nil || found === target else {
                    throw ObjectCodingError.decoding(
                        .severalObjects, draft.entity.name, draft.path)
                }
                found = target
            }
            let target =
                found ?? (keys.isEmpty ? partner(of: draft) : nil) ?? ObjectTarget(draft.entity)
            if target.drafts.isEmpty { targets.append(target) }
            try target.add(draft)
            for key in keys { known[key] = target }
        }
        try checkEntities()
    }

    /// The object at the other end of the one-to-one relationship that leads to an object without
    /// unique values. The data describe it again, unless they name another entity.
    ///
    /// The draft around comes before, so its object has been found if it exists.
    private func partner(of draft: ObjectDraft) -> ObjectTarget? {
        guard let owner = draft.oneToOneOwner, let property = draft.oneToOne,
            let partner = owner.target.object?.destination(of: property),
            !partner.isDeleted, partner.binding.entity.index == draft.entity.index
        else { return nil }
        return target(of: partner)
    }

    private func target(of object: ManagedObject) -> ObjectTarget {
        if let target = targetsByObject[object] { return target }
        let target = ObjectTarget(object.binding.entity, object)
        targetsByObject[object] = target
        return target
    }

    /// The objects that have one of the keys, found by one fetch for each constraint.
    private func existingTargets(with keys: [UniqueKey]) throws -> [UniqueKey: ObjectTarget] {
        var constraints: [UniqueKey.Constraint] = []
        var wanted: [UniqueKey.Constraint: [UniqueKey]] = [:]
        for key in keys {
            if wanted[key.constraint] == nil { constraints.append(key.constraint) }
            wanted[key.constraint, default: []].append(key)
        }
        var targets: [UniqueKey: ObjectTarget] = [:]
        for constraint in constraints {
            let request = constraint.request(for: wanted[constraint]!, in: model)
            for object in try context.fetch(request, as: ManagedObject.self) {
                let entity = object.binding.entity
                let key = UniqueKey(constraint) { name in
                    entity.property(named: name).map { object.attributeValue(of: $0) }
                }
                guard let key, targets[key] == nil else { continue }
                targets[key] = target(of: object)
            }
        }
        return targets
    }

    private func checkEntities() throws {
        for target in targets where target.entity.isAbstract {
            throw ObjectCodingError.decoding(
                .abstractEntity, target.entity.name, target.drafts[0].path)
        }
        for root in roots where !(root.target.entity.objectClass is Object.Type) {
            throw ObjectCodingError.decoding(
                .unsuitableClass("\(Object.self)"), root.target.entity.name, root.path)
        }
    }

    // MARK: - Reading

    /// Reads what the changes need: a read that fails later would leave them unfinished.
    private func readWhatChanges() throws {
        let found = Dictionary(grouping: targets.compactMap(\.object), by: \.binding.rootIndex)
        for (rootIndex, objects) in found {
            try context.load(objects, model.entities[rootIndex])
        }
        for target in targets {
            for (property, destinations) in target.drafts.flatMap(\.links) {
                let inverse = model.inverse(of: property.relationship!)
                if property.kind == .toOne, let inverse, inverse.kind == .toOne {
                    // A new destination leaves its present owner.
                    let owner = destinations.first?.target.object?.destination(of: inverse)
                    _ = owner?.destination(of: property)
                }
                guard let object = target.object else { continue }
                if property.kind == .toOne {
                    let old = object.destination(of: property)
                    if let inverse, inverse.kind == .toOne { _ = old?.destination(of: inverse) }
                } else {
                    let old = object.destinations(of: property)
                    object.readTogether(old, of: property)
                    guard let inverse, inverse.kind == .toOne else { continue }
                    for member in old { _ = member.destination(of: inverse) }
                }
            }
        }
    }

    // MARK: - Making

    /// Inserts the new objects and gives them their values. If one lacks a value, removes them all.
    private func insertNew() throws {
        let new = targets.filter(\.isNew)
        noteInverses()
        do {
            for target in new {
                target.object = try context.insertObject(entityName: target.entity.name)
                target.assignValues()
            }
            for target in new {
                guard let property = target.missingProperty else { continue }
                let key = reader.codings[target.entity].key(of: property)
                throw ObjectCodingError.decoding(
                    .missingValue, target.entity.name,
                    target.drafts[0].path + [key ?? ObjectCodingKey(property.name)])
            }
        } catch {
            takeBackInsertions(new.compactMap(\.object))
            throw error
        }
    }

    /// Removes new objects as if they had never been inserted: no hook is called, no delete rule
    /// applies.
    private func takeBackInsertions(_ objects: [ManagedObject]) {
        for object in objects where !object.state.isDetached && !object.state.isDeleted {
            for property in object.binding.entity.properties {
                switch property.kind {
                case .attribute: continue
                case .toOne: object.setDestination(nil, of: property)
                case .toMany: object.setDestinations([], of: property)
                }
            }
            context.markDeleted(object)
            object.state.deletion = .propagated
        }
        context.processChanges(isSaving: false)
    }

    /// Notes the to-one relationships that are set from their other ends.
    private func noteInverses() {
        for draft in reader.drafts {
            for (property, destinations) in draft.links {
                guard let inverse = model.inverse(of: property.relationship!) else { continue }
                for destination in destinations {
                    destination.target.setByInverse.insert(inverse.index)
                }
            }
        }
    }
}
