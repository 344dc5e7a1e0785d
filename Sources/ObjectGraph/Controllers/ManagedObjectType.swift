/// Requests for the objects of a class: `Book.all(in: context)` (spec §13.1).
///
/// Every managed object class conforms. Exactly one entity of the context's model must have the
/// class.
public protocol ManagedObjectType: ManagedObject {}

extension ManagedObject: ManagedObjectType {}

extension ManagedObjectType {
    /// The objects that match, in the order asked for, including those of subentities.
    ///
    /// - Throws: as `fetch` of the context.
    public static func all(
        in context: ManagedObjectContext, where predicate: ObjectPredicate? = nil,
        sortedBy sortKeys: [SortKey] = []
    ) throws -> [Self] {
        let request = try request(in: context, predicate, sortKeys)
        return Array(try context.fetch(request, as: Self.self))
    }

    /// The first object that matches, with its values read; nil if there is none.
    ///
    /// - Throws: as `fetch` of the context.
    public static func findFirst(
        in context: ManagedObjectContext, where predicate: ObjectPredicate? = nil,
        sortedBy sortKeys: [SortKey] = []
    ) throws -> Self? {
        var request = try request(in: context, predicate, sortKeys)
        request.fetchLimit = 1
        request.returnsObjectsAsFaults = false
        let entity = try context.entity(of: request, Self.self)
        let found = try Fetch(of: request, entity, in: context).objects(request)
        return found.first.map { unsafeDowncast($0, to: Self.self) }
    }

    /// How many objects match, including those of subentities.
    ///
    /// - Throws: as `fetch` of the context.
    public static func count(
        in context: ManagedObjectContext, where predicate: ObjectPredicate? = nil
    ) throws -> Int {
        try context.count(for: request(in: context, predicate))
    }

    /// Deletes all objects of the entity except those given; delete rules apply and the next save
    /// writes it. Leaves out objects of subentities.
    ///
    /// - Throws: as `fetch` of the context.
    public static func removeAll(
        in context: ManagedObjectContext, except kept: [Self] = []
    ) throws {
        var request = try request(in: context)
        request.includesSubentities = false
        request.includesPropertyValues = false
        let kept = Set(kept.map { $0 as ManagedObject })
        for object in try context.fetch(request, as: Self.self) where !kept.contains(object) {
            context.delete(object)
        }
    }

    private static func request(
        in context: ManagedObjectContext, _ predicate: ObjectPredicate? = nil,
        _ sortKeys: [SortKey] = []
    ) throws(FetchError) -> FetchRequest {
        FetchRequest(
            entityName: try context.model.entity(ofClass: Self.self).name, predicate: predicate,
            sortKeys: sortKeys)
    }
}
