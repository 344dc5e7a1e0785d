import MigrationKit
import ObjectGraph

/// The versions of the model of a music library, as its program has released them.
enum Catalogue: String, CaseIterable {
    case first = "1.0"
    /// Songs are tracks, seconds are a duration, plays are counted, and there are no notes.
    case renamed = "1.1"
    /// A track may be in several playlists, which have an order.
    case ordered = "1.2"
    /// An origin of two parts, covers in files, a count that the store keeps.
    case richer = "1.3"
    /// Tracks and podcasts are media, and have their titles from there.
    case media = "1.4"
    /// No two media share a title, and each track has an artist.
    case unique = "1.10"
    /// Artists are objects; a mapping with code makes them.
    case split = "2.0"
    /// Titles are in upper case; the model is the same.
    case loud = "2.1"

    static var newest: Catalogue { allCases.last! }

    private func isFrom(_ version: Catalogue) -> Bool {
        Self.allCases.firstIndex(of: self)! >= Self.allCases.firstIndex(of: version)!
    }

    func model() throws -> ManagedObjectModel {
        try ManagedObjectModel(
            entities: [track, playlist] + (isFrom(.media) ? [medium, podcast] : [])
                + (isFrom(.split) ? [artist] : []))
    }

    private var title: AttributeDescription {
        AttributeDescription("title", .string)
    }

    private func artistName(_ name: String) -> AttributeDescription {
        isFrom(.unique)
            ? AttributeDescription(name, .string, isOptional: false, defaultValue: "Unknown")
            : AttributeDescription(name, .string)
    }

    private var artist: EntityDescription {
        EntityDescription(
            name: "Artist", attributes: [artistName("name")],
            relationships: [.toMany("tracks", "Track", inverse: "artist")])
    }

    private var medium: EntityDescription {
        EntityDescription(
            name: "Medium", isAbstract: true, attributes: [title],
            uniquenessConstraints: isFrom(.unique) ? [["title"]] : [],
            indexes: [FetchIndexDescription("byTitle", on: "title")])
    }

    private var podcast: EntityDescription {
        EntityDescription(
            name: "Podcast", superentity: "Medium",
            attributes: [AttributeDescription("feed", .uri)])
    }

    private var track: EntityDescription {
        let isRenamed = isFrom(.renamed)
        var attributes = [
            AttributeDescription(
                isRenamed ? "duration" : "seconds", .double,
                renamingIdentifier: isRenamed ? "seconds" : nil),
            AttributeDescription("key", .uuid),
            AttributeDescription("recorded", .date), AttributeDescription("price", .decimal),
            AttributeDescription("rating", .float), AttributeDescription("isLoved", .boolean),
            AttributeDescription("tags", .transformable),
        ]
        if !isFrom(.split) { attributes.append(artistName("artistName")) }
        if !isFrom(.media) { attributes.append(title) }
        attributes.append(
            isRenamed
                ? AttributeDescription("plays", .integer32, isOptional: false, defaultValue: 0)
                : AttributeDescription("note", .string))
        if isFrom(.richer) {
            attributes += [
                AttributeDescription(
                    "origin", .composite,
                    elements: [
                        AttributeDescription("country", .string),
                        AttributeDescription("year", .integer16),
                    ]),
                AttributeDescription("cover", .binaryData, allowsExternalStorage: true),
            ]
        }
        let playlists = RelationshipDescription(
            name: isFrom(.ordered) ? "playlists" : "playlist", destination: "Playlist",
            inverse: "tracks", maxCount: isFrom(.ordered) ? 0 : 1,
            renamingIdentifier: isFrom(.ordered) ? "playlist" : nil)
        return EntityDescription(
            name: isRenamed ? "Track" : "Song", superentity: isFrom(.media) ? "Medium" : nil,
            attributes: attributes,
            relationships: isFrom(.split)
                ? [playlists, .toOne("artist", "Artist", inverse: "tracks")] : [playlists],
            renamingIdentifier: isRenamed ? "Song" : nil)
    }

    private var playlist: EntityDescription {
        var playlist = EntityDescription(
            name: "Playlist", attributes: [AttributeDescription("name", .string)],
            relationships: [
                .toMany(
                    "tracks", isFrom(.renamed) ? "Track" : "Song",
                    inverse: isFrom(.ordered) ? "playlists" : "playlist",
                    isOrdered: isFrom(.ordered)),
                .toMany("parts", "Playlist", inverse: "whole"),
                .toOne("whole", "Playlist", inverse: "parts"),
            ])
        if isFrom(.richer) {
            playlist.attributes.append(
                AttributeDescription("trackCount", .integer64, derivation: "tracks.@count"))
        }
        return playlist
    }

    // MARK: - Migrations

    /// How the program of a version opens its store.
    func store() throws -> PersistentStoreDescription {
        var description = PersistentStoreDescription(type: .sqlite)
        guard isFrom(.split) else { return description }
        let versions = Self.allCases.prefix { $0 != .split }
        description.migration.sourceModels = try versions.map { try $0.model() }
        description.migration.mappingModels = [try Self.splitting()]
        if isFrom(.loud) {
            description.migration.migrations = [
                Migration(.appVersion("2.1")) { context in
                    let media = FetchRequest(entityName: "Medium")
                    for medium in try context.fetch(media, as: ManagedObject.self) {
                        let title = try medium.value(forKey: "title") as? String
                        try medium.setValue(title?.uppercased(), forKey: "title")
                    }
                }
            ]
        }
        return description
    }

    /// Everything can be inferred but the artists.
    private static func splitting() throws -> MappingModel {
        try MappingModel.inferred(
            from: Catalogue.unique.model(), to: Catalogue.split.model(),
            replacing: [
                EntityMapping(
                    from: "Track", to: "Track",
                    properties: [
                        PropertyMapping("artist", .variable("source"), through: "TrackToArtist")
                    ]),
                .custom(from: "Track", to: "Artist") {
                    (track: ManagedObject, artist: ManagedObject, _: MigrationManager) in
                    try artist.setValue(try track.value(forKey: "artistName"), forKey: "name")
                },
            ])
    }

    /// What does not follow from the models.
    static let expectations: [MigrationExpectation] = [
        .removed("Song.note", before: "1.1"),
        .rows(of: "Artist", from: ["Song"], before: "1.1"),
        .rows(of: "Artist", from: ["Track"], before: "2.0"),
        .value(of: "Artist.name", .same(as: "artistName"), before: "2.0"),
        .value(of: "Track.artist", .same(as: "SELF"), before: "2.0"),
        .value(of: "Medium.title", .computed("uppercase:(title)"), before: "2.1"),
    ]

    /// A snapshot of each version.
    static func export(to folder: SnapshotFolder) throws {
        for version in allCases {
            try folder.export(version.rawValue, of: version.model(), opening: version.store())
        }
    }

    /// The check of a version's program.
    func check() throws -> MigrationCheck {
        try MigrationCheck(to: model(), opening: store(), expecting: Self.expectations)
    }
}
