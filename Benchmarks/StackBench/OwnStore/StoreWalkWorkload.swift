import Measuring
import ObjectGraph

/// Follows a relationship from each row of an entity and reads a value at the other end, as a list
/// does that shows something of related objects.
enum StoreWalkWorkload {
    static func run(_ context: WorkerContext) throws -> WorkloadOutcome {
        let session = try context.openOwnStore(isWritten: false)
        let path = session.path("relationship")
        var plain = FetchRequest(entityName: path.entity)
        plain.fetchLimit = context.integer("rows")
        let isPrefetching = context.text("prefetching") == "yes"
        let request = plain.prefetching(isPrefetching ? [path.property] : [])
        let view = try session.stack.viewContext
        // Of the destination itself, so that its descendants have it too.
        let attribute = session.destination(of: path).flatMap {
            session.storedAttributes(of: $0).first
        }
        let sourceCount = try view.performAndWait { [plain] in try view.fetchObjectIDs(plain).count
        }
        var linkCount = 0
        let sample = try context.measure(session.stack, rowCount: sourceCount) {
            linkCount = try view.performAndWait {
                try view.fetch(request, as: ManagedObject.self).reduce(0) { count, object in
                    let value = try object.value(forKey: path.property)
                    return try count + touch(value, attribute)
                }
            }
        }
        let sources = try view.performAndWait {
            try view.fetchObjectIDs(request.prefetching([]))
        }
        let (store, tables) = try session.readBack()
        guard let links = tables.links(of: path) else {
            preconditionFailure("The survey leaves out relationships without links in plain SQL.")
        }
        let expected = try store.integer(
            "SELECT COUNT(*) FROM (\(links)) WHERE source IN \(sources.sqlList)")
        var verifier = Verifier()
        try verifier.checkJournal(of: store)
        verifier.check("links", linkCount, equals: expected)
        verifier.checkAny("links", expected)
        return WorkloadOutcome(sample: sample, verification: verifier.verification)
    }

    /// Reads an attribute of each object in the value of a relationship, and counts the objects.
    private static func touch(_ value: Any?, _ attribute: String?) throws -> Int {
        let objects = relatedObjects(value)
        if let attribute {
            for object in objects { _ = try object.value(forKey: attribute) }
        }
        return objects.count
    }
}

extension FetchRequest {
    fileprivate func prefetching(_ keyPaths: [String]) -> FetchRequest {
        var request = self
        request.relationshipKeyPathsForPrefetching = keyPaths
        return request
    }
}

/// The objects in the value of a relationship.
func relatedObjects(_ value: Any?) -> [ManagedObject] {
    switch value {
    case let object as ManagedObject: [object]
    case let objects as Set<ManagedObject>: Array(objects)
    case let objects as [ManagedObject]: objects
    default: []
    }
}

extension WorkloadKind {
    static let storeWalk = WorkloadKind(
        name: "store-walk", summary: "follow a relationship from each row of an entity",
        subjects: [.stack], data: .none,
        parameters: [.shown("relationship"), .shown("prefetching"), .shown("rows")],
        run: StoreWalkWorkload.run)
}
