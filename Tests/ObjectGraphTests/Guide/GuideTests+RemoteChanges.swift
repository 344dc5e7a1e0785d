import Foundation
import ObjectGraph
import Synchronization
import TestSupport
import Testing

extension Guide {
    @Test(.timeLimit(.minutes(5))) func `remote changes bring a view up to date`() async throws {
        let coordinator = PersistentStoreCoordinator(model: try makeModel())
        var description = PersistentStoreDescription.sqlite(at: file)
        description.tracksHistory = true
        description.postsRemoteChanges = true
        try coordinator.addPersistentStore(description)
        let view = ManagedObjectContext(.privateQueue, coordinator: coordinator)
        let id = try saveAuthor(in: view)
        let start = try coordinator.currentPersistentHistoryToken()
        let token = Mutex(start)
        let (merges, continuation) = AsyncStream<Void>.makeStream()

        @Sendable func mergeHistory(into view: ManagedObjectContext) {
            let last = token.withLock { $0 }
            let request = PersistentHistoryRequest(after: .token(last))
            for transaction in (try? view.fetchHistory(request)) ?? [] {
                ManagedObjectContext.mergeChanges(transaction.objectChanges, into: [view])
                token.withLock { $0 = transaction.token }
            }
            continuation.yield()
        }

        let observation = coordinator.observe { notification in
            guard case .remoteChange = notification else { return }
            view.perform { mergeHistory(into: view) }
        }

        let other = PersistentStoreCoordinator(model: try makeModel())
        description.postsRemoteChanges = false
        try other.addPersistentStore(description)
        let context = ManagedObjectContext(.privateQueue, coordinator: other)
        try rename(other.localID(id), "U. K. Le Guin", in: context)
        for await _ in merges where name(of: id, in: view) == "U. K. Le Guin" { break }
        withExtendedLifetime(observation) {}
    }
}

extension PersistentStoreCoordinator {
    /// The identifier that the object has in this coordinator.
    fileprivate func localID(_ id: ManagedObjectID) -> ManagedObjectID {
        managedObjectID(forURIRepresentation: id.uriRepresentation) ?? id
    }
}
