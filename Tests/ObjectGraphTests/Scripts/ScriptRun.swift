import Foundation
import TestSupport

@testable import ObjectGraph

/// Runs a script on contexts and on the reference side by side.
final class ScriptRun: @unchecked Sendable {
    // @unchecked Sendable: used only by the thread of the test, on which `performAndWait` runs its
    // blocks.

    /// A difference, and the step that shows it.
    struct Difference: Error, CustomStringConvertible {
        let step: String
        let message: String
        var description: String { "\(step): \(message)" }
    }

    let contexts: [ManagedObjectContext]
    let coordinator: PersistentStoreCoordinator
    var reference: ReferenceGraph
    var step = ""

    /// By context, then by object number: the objects that the script holds.
    var held: [[Int: ManagedObject]]
    var ids: [Int: ManagedObjectID] = [:]
    var numbers: [ManagedObjectID: Int] = [:]
    var saves: [(level: Int, objects: SavedObjects)] = []
    var observer: Observer
    let hasGenerations: Bool
    private var folder: TemporaryFolder?
    private var schema: ServerSchema?
    private let observations: [Observation]
    let posted: [Posted]

    /// The changes that a context posted about its last save.
    final class Posted: @unchecked Sendable {
        // @unchecked Sendable: posted to on the thread of the test.
        var changes: ObjectChanges?
    }

    deinit {
        for store in coordinator.persistentStores { try? coordinator.removePersistentStore(store) }
    }

    init(_ script: Script) throws {
        coordinator = PersistentStoreCoordinator(
            model: ScriptSchema.model(isOrdered: script.isOrdered))
        hasGenerations = script.store == .file || script.store == .server
        var description: PersistentStoreDescription
        switch script.store {
        case .inMemory: description = .inMemory()
        case .sqliteInMemory: description = .sqliteInMemory()
        case .own:
            registerStores()
            description = PersistentStoreDescription(type: "Dictionary")
        case .server:
            guard let schema = ServerSchema() else {
                throw Difference(step: "opening", message: "there is no server")
            }
            self.schema = schema
            description = schema.description
            description.maximumReaderCount = 2
        case .file:
            let folder = TemporaryFolder()
            self.folder = folder
            description = .sqlite(at: folder.url("script.sqlite"))
            description.pragmas["synchronous"] = "OFF"
        }
        description.tracksHistory = script.tracksHistory
        try coordinator.addPersistentStore(description)
        observer = Observer(
            context: ManagedObjectContext(.privateQueue, coordinator: coordinator))
        var contexts: [ManagedObjectContext] = []
        for place in script.arrangement {
            let context =
                place.parent.map { ManagedObjectContext(.privateQueue, parent: contexts[$0]) }
                ?? ManagedObjectContext(.privateQueue, coordinator: coordinator)
            context.performAndWait {
                context.mergePolicy = MergePolicy(place.policy)
                // The reference does not read unreferenced objects again.
                context.retainsRegisteredObjects = true
                if place.hasUndo { context.undoManager = UndoManager() }
            }
            contexts.append(context)
        }
        self.contexts = contexts
        reference = ReferenceGraph(script.arrangement, isOrdered: script.isOrdered)
        held = contexts.map { _ in [:] }
        posted = contexts.map { _ in Posted() }
        observations = zip(contexts, posted).map { context, posted in
            context.observe {
                if case .didSave(let changes) = $0 { posted.changes = changes }
            }
        }
    }

    func run(_ script: Script) throws {
        var copy: HistoryCopy?
        for (position, step) in script.steps.enumerated() {
            if position == script.steps.count / 2 { copy = try HistoryCopy(of: coordinator) }
            self.step = "\(step)"
            try perform(step, in: step.numbers[0] % contexts.count)
            try checkInvariants()
        }
        for level in contexts.indices {
            step = "at the end, context \(level)"
            renew(level)
            try on(level) { try self.compareEverything(in: level) }
        }
        try compareStore()
        try compareObserver(0)
        step = "in the history"
        if let difference = try copy?.difference() {
            throw Difference(step: step, message: difference)
        }
    }

    // Does not enter a queue: that would deliver permanent keys earlier than the context asks for
    // them.
    private func checkInvariants() throws {
        for (level, context) in contexts.enumerated() {
            do { try context.checkInvariants() } catch {
                throw Difference(step: step, message: "context \(level): \(error)")
            }
        }
    }

    func on<Result: Sendable>(
        _ level: Int, _ body: @Sendable () throws -> Result
    ) throws -> Result {
        try contexts[level].performAndWait(body)
    }

    func require(_ condition: Bool, _ message: @autoclosure () -> String) throws {
        guard condition else { throw Difference(step: step, message: message()) }
    }

    // MARK: - Objects and numbers

    func hold(_ object: ManagedObject, _ number: Int, _ level: Int) {
        held[level][number] = object
        note(object.objectID, number)
    }

    /// New objects with their numbers, before their identifiers change. Not all are held: undo may
    /// have inserted one again.
    func insertedNumbers(_ level: Int) -> [ManagedObject: Int] {
        contexts[level].insertedObjects.reduce(into: [:]) { $0[$1] = numbers[$1.objectID] }
    }

    func noteIDs(_ inserted: [ManagedObject: Int], _ level: Int) {
        let objects = inserted.map { (number: $1, object: $0) } + held[level].map { ($0, $1) }
        for (number, object) in objects where object.managedObjectContext != nil {
            note(object.objectID, number)
        }
    }

    private func note(_ id: ManagedObjectID, _ number: Int) {
        numbers[id] = number
        ids[number] = id
    }

    /// The object in the context, which is held from now on.
    func engine(_ number: Int, _ level: Int) -> ManagedObject {
        if let object = held[level][number], object.managedObjectContext != nil { return object }
        let object = contexts[level].object(with: ids[number]!)
        held[level][number] = object
        return object
    }

    func numbers(of objects: Set<ManagedObject>) -> Set<Int> {
        Set(objects.map { numbers[$0.objectID] ?? -1 })
    }

    func numbers(of changes: ObjectChanges) -> SavedObjects {
        func numbers(_ ids: [ManagedObjectID]) -> Set<Int> {
            Set(ids.map { self.numbers[$0] ?? -1 })
        }
        return SavedObjects(
            inserted: numbers(changes.inserted), updated: numbers(changes.updated),
            deleted: numbers(changes.deleted))
    }
}

extension MergePolicy {
    fileprivate convenience init(_ policy: ReferenceGraph.Policy) {
        self.init(Kind(rawValue: policy.rawValue)!)
    }
}
