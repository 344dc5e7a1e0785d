// A program for `scripts/static-library`: it links the engine from a static library, of which a
// linker takes only the files that something refers to. What a store can do must not get lost.
import Foundation
import ObjectGraph

final class Item: ManagedObject {
    static let name = Attribute<String>("name")

    override class var managedProperties: [any ManagedProperty] { [name] }
}

final class Delegate: FetchedResultsSnapshotDelegate {
    var count = 0

    func controller(
        _ controller: FetchedResultsController<Item>,
        didChangeContentWith snapshot: FetchedResultsSnapshot
    ) { count = snapshot.objectIDs.count }
}

func check(_ isRight: Bool, _ part: String) {
    if isRight { return }
    print("error: a program that links the engine from a static library has no \(part)")
    exit(1)
}

func run(in folder: URL) throws {
    let coordinator = PersistentStoreCoordinator(
        model: try ManagedObjectModel(entities: [EntityDescription(Item.self)]))
    var description = PersistentStoreDescription.sqlite(at: folder.appending(path: "store.sqlite"))
    description.tracksHistory = true
    let store = try coordinator.addPersistentStore(description)
    let context = ManagedObjectContext(.privateQueue, coordinator: coordinator)
    try context.performAndWait {
        let request = FetchRequest(entityName: "Item", sortKeys: [.ascending("name")])
        let controller = FetchedResultsController<Item>(request, in: context)
        let delegate = Delegate()
        controller.delegate = delegate
        try controller.performFetch()
        let item = Item(context: context)
        item[Item.name] = "first"
        try context.save()
        check(delegate.count == 1, "delegates")
        let token = try coordinator.currentPersistentHistoryToken()
        check(token.transactionNumbers[store.identifier] == 1, "tokens")
        check(try context.fetchHistory().count == 1, "history")
        let insertion = BatchInsertRequest(entityName: "Item", objects: [["name": "second"]])
        check((try? context.execute(insertion).count) == 1, "batch requests")
        try item.setValue(nil, forKey: "name")
        do {
            try context.save()
            check(false, "validation")
        } catch {
            check((error as? any CodedError)?.code == 1570, "codes of errors")
        }
    }
}

let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
try run(in: folder)
try? FileManager.default.removeItem(at: folder)
print("The engine works as a static library.")
