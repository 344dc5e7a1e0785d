import Foundation
import Measuring
import ObjectGraph
import Stacks

/// The job's stack, opened on a copy of the user's store. Objects are dynamic: values by key.
struct OwnStoreSession: Sendable {
    let stack: any PersistenceStack
    let model: ManagedObjectModel
    private let names: ShownNames
    private let job: WorkerJob
    private let url: URL

    fileprivate init(_ context: WorkerContext) throws {
        guard let own = context.job.ownStore else {
            preconditionFailure("A job of the kind \(context.job.kind) has a store.")
        }
        job = context.job
        url = context.storeURL
        model = try own.loadModel()
        names = ShownNames(model, isRedacted: own.isRedacted)
        stack = try context.openStack(on: model)
        // A pool opens its connection at the first read, with statements that belong to no work.
        guard let entity = model.entitiesByName.values.first(where: { !$0.isAbstract })?.name else {
            return
        }
        let view = try stack.viewContext
        _ = try view.performAndWait { try view.count(for: FetchRequest(entityName: entity)) }
    }

    /// The entity that a parameter shows.
    func entity(_ parameter: String) -> String {
        names.entity(shownAs: job.parameters[parameter] ?? "")
    }

    /// The property that a parameter shows.
    func path(_ parameter: String) -> PropertyPath {
        names.path(shownAs: job.parameters[parameter] ?? "")
    }

    /// The names of an entity's attributes that have a column and all of whose values are there,
    /// sorted.
    func storedAttributes(of entity: String) -> [String] {
        let attributes = model.attributesByName(ofEntity: entity) ?? [:]
        return attributes.values.filter { attribute in
            let path = PropertyPath(entity: entity, property: attribute.name)
            return !attribute.isTransient && attribute.type != .composite
                && job.storeFacts?[StoreSurvey.filesFact(of: path)] == nil
        }.map(\.name).sorted()
    }

    func destination(of path: PropertyPath) -> String? {
        model.relationshipsByName(ofEntity: path.entity)?[path.property]?.destination
    }

    /// The rows of exactly this entity when the copy was made.
    func rowCount(of entity: String) -> Int {
        Int(job.storeFacts?["rows of \(entity)"] ?? 0)
    }

    /// Closes the stack and opens its store for plain SQL.
    func readBack() throws -> (store: StoreReader, tables: StoreTables) {
        try stack.close()
        let store = try StoreReader(url)
        return (store, try StoreTables(store, model))
    }
}

extension WorkerContext {
    /// Opens the job's stack on a copy of the user's store.
    func openOwnStore(isWritten: Bool) throws -> OwnStoreSession {
        try placeStore(isWritten: isWritten)
        return try OwnStoreSession(self)
    }

    /// Opens the job's stack on an empty store of the user's model.
    func openEmptyOwnStore() throws -> OwnStoreSession {
        removeStore()
        return try OwnStoreSession(self)
    }
}

extension ManagedObjectID {
    /// The primary key of its row.
    var key: Int { Int(uriRepresentation.lastPathComponent.dropFirst()) ?? 0 }
}

extension [ManagedObjectID] {
    /// The rows with these keys, for SQL's `IN`.
    var sqlList: String {
        let keys = map(\.key).map(String.init).joined(separator: ",")
        return "(SELECT value FROM json_each('[\(keys)]'))"
    }
}
