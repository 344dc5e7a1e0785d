import Foundation

/// A uniqueness constraint with the values that one object has for it.
struct UniqueKey: Hashable {
    /// A constraint of the uppermost entity that has it: no two objects of its family share values.
    struct Constraint: Hashable {
        let entityIndex: Int
        let names: [String]
    }

    let constraint: Constraint
    let values: [AttributeValue]

    /// - Parameter value: The value of an attribute; nil or null makes no key, since nulls never
    ///   collide.
    init?(_ constraint: Constraint, value: (String) -> AttributeValue?) {
        var values: [AttributeValue] = []
        for name in constraint.names {
            guard let value = value(name), !value.isNull else { return nil }
            values.append(value)
        }
        self.constraint = constraint
        self.values = values
    }

    // Texts are compared byte by byte, as the unique index does.
    private var bytes: [AttributeValue] {
        values.map { value in value.string.map { .data(Data($0.utf8)) } ?? value }
    }

    static func == (first: UniqueKey, second: UniqueKey) -> Bool {
        first.constraint == second.constraint && first.bytes == second.bytes
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(constraint)
        hasher.combine(bytes)
    }
}

extension Entity {
    /// The constraints that objects of the entity are found by.
    func uniqueConstraints(in model: ManagedObjectModel) -> [UniqueKey.Constraint] {
        uniquenessConstraints.map { names in
            var owner = self
            while let above = owner.superentityIndex,
                model.entities[above].uniquenessConstraints.contains(names)
            {
                owner = model.entities[above]
            }
            return UniqueKey.Constraint(entityIndex: owner.index, names: names)
        }
    }
}

extension UniqueKey.Constraint {
    /// A request for the objects that have one of the values for each attribute. With several
    /// attributes it may find more objects than have the keys.
    func request(for keys: [UniqueKey], in model: ManagedObjectModel) -> FetchRequest {
        var request = FetchRequest(entityName: model.entities[entityIndex].name)
        request.returnsObjectsAsFaults = false
        request.predicate = .and(
            names.indices.map { position in
                // By keys, which compare texts byte by byte; a set of values would not.
                let values = Set(keys).map { $0.values[position] }
                return .comparison(
                    ObjectPredicate.Comparison(
                        .keyPath(names[position]), .in,
                        .aggregate(values.map { .constant($0) })))
            })
        return request
    }
}
