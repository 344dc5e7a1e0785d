import Foundation
import ObjectGraph
import Testing

// Lists that follow.
extension `Guide` {
    @Test func `a results controller follows its context`() throws {
        let context = try makeContext()
        _ = try saveAuthor(in: context)
        try context.performAndWait {
            let shelf = Shelf()
            var request = Book.fetchRequest()
            request.sortKeys = [.ascending("year"), .ascending("title")]
            let controller = try FetchedResultsController(
                request, in: context, sectionedBy: .keyPath("year"))
            controller.delegate = shelf
            try controller.performFetch()
            let first = try controller.object(at: IndexPath(item: 0, section: 0))

            #expect(first.title == "The Dispossessed")
            first.year = 2010
            context.processPendingChanges()
            #expect(shelf.years == ["2008", "2010"])
            #expect(shelf.error == nil)
        }
    }

    final class Shelf: FetchedResultsSnapshotDelegate {
        var years: [String] = []

        func controller(
            _ controller: FetchedResultsController<Book>,
            didChangeContentWith snapshot: FetchedResultsSnapshot
        ) {
            years = snapshot.sections.map(\.name)
        }

        var error: (any Error)?

        func controller(
            _ controller: FetchedResultsController<Book>, didFailWith error: any Error
        ) {
            self.error = error
        }
    }
}
