import ObjectGraph

@testable import StackBench

/// Fills an album with photos, a save at a time.
enum AlbumWorkload {
    private static let saveSize = 100

    static func run(_ context: WorkerContext) throws -> WorkloadOutcome {
        let photoCount = context.integer("photos")
        let stack = try context.openStack(on: model())
        let sample = try context.measure(stack, rowCount: photoCount) {
            let worker = try stack.makeWorkerContext()
            try worker.performAndWait {
                let album = Album(context: worker)
                for number in 0..<photoCount {
                    let photo = Photo(context: worker)
                    photo[Photo.number] = number
                    photo[Photo.album] = album
                    if (number + 1) % saveSize == 0 { try stack.saveToDisk(worker) }
                }
                try stack.saveToDisk(worker)
            }
        }
        try stack.close()

        let store = try StoreReader(context.storeURL)
        let found = try store.integers("SELECT COUNT(ZALBUM), SUM(ZNUMBER) FROM ZPHOTO")
        var verifier = Verifier()
        try verifier.checkJournal(of: store)
        verifier.check("photos in the album", found[0], equals: photoCount)
        verifier.check("their numbers", found[1], equals: photoCount * (photoCount - 1) / 2)
        return WorkloadOutcome(sample: sample, verification: verifier.verification)
    }

    private static func model() throws -> ManagedObjectModel {
        try ManagedObjectModel(entities: [
            EntityDescription(Album.self), EntityDescription(Photo.self),
        ])
    }
}

private final class Album: ManagedObject {
    static let photos: ToMany<Photo> = ToMany("photos", inverse: Photo.album)

    override class var managedProperties: [any ManagedProperty] { [photos] }
}

private final class Photo: ManagedObject {
    static let number: Attribute<Int> = Attribute("number")
    static let album: ToOne<Album> = ToOne("album")

    override class var managedProperties: [any ManagedProperty] { [number, album] }
}

extension WorkloadKind {
    static let album = WorkloadKind(
        name: "album", summary: "fill an album with photos, 100 a save",
        subjects: [.stack], data: .none,
        parameters: [
            WorkloadParameter(
                name: "photos", values: .integer(1...1_000_000), defaultValue: "10000",
                summary: "photos in the album")
        ],
        run: AlbumWorkload.run)
}
