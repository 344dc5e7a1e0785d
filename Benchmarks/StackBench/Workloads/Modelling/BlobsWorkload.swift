import Foundation
import Measuring
import ObjectGraph
import Reports
import RunRecords

/// People with one picture each: where pictures are kept, against the time to insert them, to show
/// a page of names without them, and to read them one by one.
enum BlobsWorkload {
    enum Way: String, CaseIterable {
        /// A save for each person.
        case insert
        /// The first page of a list of names, without the pictures.
        case list
        /// A request for each person, in random order, and the picture.
        case read
    }

    fileprivate static let pageRowCount = 20

    static func run(_ context: WorkerContext) throws -> WorkloadOutcome {
        let way: Way = context.choice("way")
        let album = Album(context)
        try context.placeStore(isWritten: way == .insert)
        let coordinator = try context.openCoordinator(album.makeModel())
        let people = ManagedObjectContext(.privateQueue, coordinator: coordinator)
        var verifier = Verifier()
        let sample =
            switch way {
            case .insert: try insert(album, in: people, context, &verifier)
            case .list: try list(in: people, context, &verifier)
            case .read: try read(album, in: people, context, &verifier)
            }
        try coordinator.removePersistentStores()

        let store = try StoreReader(context.storeURL)
        try verifier.checkJournal(of: store)
        try verifier.check(album, in: store, rowCount: context.integer("rows"))
        return WorkloadOutcome(sample: sample, verification: verifier.verification)
    }

    private static func insert(
        _ album: Album, in people: ManagedObjectContext, _ context: WorkerContext,
        _ verifier: inout Verifier
    ) throws -> Sample {
        let numbers = 0..<context.integer("rows")
        let sample = try context.measure(in: people, rowCount: numbers.count) {
            for number in numbers {
                try album.insert(number, in: people)
                try people.save()
            }
        }.sample
        // Reads the pictures back from the store, not from the objects.
        let sum = try people.performAndWait {
            people.reset()
            return try album.read(numbers, in: people)
        }
        verifier.check(sum, of: numbers, pages: album.pageCount)
        return sample
    }

    private static func read(
        _ album: Album, in people: ManagedObjectContext, _ context: WorkerContext,
        _ verifier: inout Verifier
    ) throws -> Sample {
        let numbers = 0..<context.integer("rows")
        var random = SeededGenerator(seed: context.job.seed)
        let shuffled = numbers.shuffled(using: &random)
        let (sample, sum) = try context.measure(in: people, rowCount: numbers.count) {
            try album.read(shuffled, in: people)
        }
        verifier.check(sum, of: numbers, pages: album.pageCount)
        return sample
    }

    private static func list(
        in people: ManagedObjectContext, _ context: WorkerContext, _ verifier: inout Verifier
    ) throws -> Sample {
        var request = FetchRequest(entityName: "Person", sortKeys: [.ascending("name")])
        request.fetchBatchSize = context.integer("fetchBatchSize")
        request.returnsObjectsAsFaults = false
        let list = request
        var (sample, page) = try context.measure(in: people, rowCount: pageRowCount) {
            try show(list, in: people).numbers
        }
        // Fetches again: the first fetch fills SQLite's page cache, which is not memory of the
        // list.
        sample[.liveMemory] = try people.performAndWait {
            people.reset()
            return Double(try show(list, in: people).liveBytes)
        }
        let expected = Array(0..<min(pageRowCount, context.integer("rows")))
        verifier.check("people shown", page.count, equals: expected.count)
        verifier.check("people in order", page == expected ? 1 : 0, equals: 1)
        return sample
    }

    /// The numbers of the first people, and the memory of the list after they were read.
    private static func show(
        _ list: FetchRequest, in view: ManagedObjectContext
    ) throws -> (numbers: [Int], liveBytes: Int) {
        let before = Allocator.liveBytes()
        let people = try view.fetch(list, as: Person.self)
        return withExtendedLifetime(people) {
            let numbers = people.prefix(pageRowCount).map(\.number)
            return (numbers, Allocator.liveBytes() - before)
        }
    }
}

/// A store of people with one picture each.
private struct PeopleStore: SampleStore {
    var rowCount: Int
    var pictureBytes: Int
    var place: Album.Place

    func make(in context: WorkerContext) throws -> [String: Int64] {
        let album = Album(context)
        let coordinator = try context.openCoordinator(album.makeModel())
        let people = ManagedObjectContext(.privateQueue, coordinator: coordinator)
        try people.performAndWait {
            for number in 0..<rowCount {
                try album.insert(number, in: people)
                guard (number + 1) % BlobsWorkload.pageRowCount == 0 else { continue }
                try people.save()
                people.reset()
            }
            try people.save()
        }
        try coordinator.removePersistentStores()
        return [:]
    }
}

extension Verifier {
    /// Checks a sum of ``Album/read(_:in:)``.
    fileprivate mutating func check(_ sum: Int, of numbers: Range<Int>, pages: Int) {
        let expected = numbers.reduce(0) { $0 + pages * Int(Album.byte(of: $1)) }
        check("sum over pictures", sum, equals: expected)
    }

    /// Counts people, pictures and bytes in the store and in files.
    fileprivate mutating func check(
        _ album: Album, in store: StoreReader, rowCount: Int
    ) throws {
        check("people", try store.integer("SELECT COUNT(*) FROM ZPERSON"), equals: rowCount)
        let files = try album.files()
        let fileCount = album.usesFiles ? rowCount : 0
        check("files", files.count, equals: fileCount)
        check("bytes in files", files.reduce(0, +), equals: fileCount * album.pictureBytes)
        guard album.place != .path else {
            let named = try store.integer("SELECT COUNT(DISTINCT ZFILE) FROM ZPERSON")
            return check("names of files", named, equals: rowCount)
        }
        let table = album.place == .apart ? "ZPORTRAIT" : "ZPERSON"
        // No picture begins with a byte that marks a value.
        let found = try store.integers(
            """
            SELECT COUNT(ZPICTURE), SUM(length(ZPICTURE) - (substr(ZPICTURE, 1, 1) = x'01')) \
            FROM \(table)
            """)
        check("pictures", found[0], equals: rowCount)
        guard !album.usesFiles else { return }
        check("bytes of pictures", found[1], equals: rowCount * album.pictureBytes)
    }
}

extension WorkloadKind {
    static let blobs = WorkloadKind(
        name: "blobs", summary: "insert people with pictures, list them, or read the pictures",
        subjects: [.engine],
        data: .own({ context in
            PeopleStore(
                rowCount: context.text("way") == "insert" ? 0 : context.integer("rows"),
                pictureBytes: context.integer("kibibytes") * 1024,
                place: context.choice("place"))
        }),
        parameters: [
            WorkloadParameter(
                name: "place", values: .cases(of: Album.Place.self), defaultValue: "inline",
                summary: "an attribute of the person, an entity of its own, an attribute that"
                    + " allows external storage, or a file whose name is in the row"),
            WorkloadParameter(
                name: "way", values: .cases(of: BlobsWorkload.Way.self), defaultValue: "list",
                summary: "insert all in a save each, show the first"
                    + " \(BlobsWorkload.pageRowCount) names, or read all in random order"),
            WorkloadParameter(
                name: "fetchBatchSize", values: .integer(0...100_000), defaultValue: "0",
                summary: "people of the list loaded at a time; 0 means all at once"),
            WorkloadParameter(
                name: "rows", values: .integer(1...100_000), defaultValue: "505",
                summary: "people"),
            // A picture of 1,024 KiB and its row take a block of 1.25 MiB whose end is never
            // touched. More bytes would then be live than resident.
            WorkloadParameter(
                name: "kibibytes", values: .integer(1...16_384), defaultValue: "1000",
                summary: "KiB of a picture"),
        ],
        run: BlobsWorkload.run)
}
