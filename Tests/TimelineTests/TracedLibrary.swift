import Dispatch
import Foundation
import ObjectGraph
import TestSupport
import Timeline

/// A library with a view on the main queue and a worker, whose events can be told from those of
/// other tests by the names of its contexts.
final class TracedLibrary: Sendable {
    let folder: TemporaryFolder
    let coordinator: PersistentStoreCoordinator
    let view: ManagedObjectContext
    let worker: ManagedObjectContext
    let viewName = "view \(UUID())"
    let workerName = "worker \(UUID())"

    init(
        in folder: TemporaryFolder = TemporaryFolder(), lockPolicy: LockPolicy = .pooled,
        isNested: Bool = false, pragmas: [String: String] = [:]
    ) throws {
        self.folder = folder
        coordinator = PersistentStoreCoordinator(
            model: try makeLibraryModel(), lockPolicy: lockPolicy)
        var description = PersistentStoreDescription.sqlite(at: folder.url("library.sqlite"))
        description.pragmas = pragmas
        try coordinator.addPersistentStore(description)
        view = ManagedObjectContext(.mainQueue, coordinator: coordinator, name: viewName)
        worker =
            isNested
            ? ManagedObjectContext(.privateQueue, parent: view, name: workerName)
            : ManagedObjectContext(.privateQueue, coordinator: coordinator, name: workerName)
    }

    func insertAuthors(_ count: Int, in context: ManagedObjectContext) {
        for number in 0..<count { Author(context: context).name = "Author \(number)" }
    }

    func saveAuthors(_ count: Int) throws {
        try worker.performAndWait {
            insertAuthors(count, in: worker)
            try worker.save()
            worker.reset()
        }
    }

    /// What the process did while the body ran; also what other tests did at the same time.
    func trace(_ body: () throws -> Void) rethrows -> Spans { Spans(try timeline(body)) }

    func timeline(_ body: () throws -> Void) rethrows -> Timeline {
        let recorder = TraceRecorder()
        EventTracing.attach(recorder)
        defer { EventTracing.detach(recorder) }
        try body()
        view.performAndWait {}
        worker.performAndWait {}
        return recorder.timeline()
    }

    /// The longest stall of the main queue by a block of the view.
    func worstStall(_ spans: Spans) -> Stall? {
        spans.stalls().first { $0.span.event.track.text == viewName }
    }
}
