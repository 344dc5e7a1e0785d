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

    static var newest: Catalogue { allCases.last! }

    private func isFrom(_ version: Catalogue) -> Bool {
        Self.allCases.firstIndex(of: self)! >= Self.allCases.firstIndex(of: version)!
    }

    func model() throws -> ManagedObjectModel {
        try ManagedObjectModel(
            entities: [track, playlist] + (isFrom(.media) ? [medium, podcast] : []))
    }

    private var title: AttributeDescription {
        AttributeDescription("title", .string)
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
            isFrom(.unique)
                ? AttributeDescription(
                    "artistName", .string, isOptional: false, defaultValue: "Unknown")
                : AttributeDescription("artistName", .string),
            AttributeDescription("key", .uuid),
            AttributeDescription("recorded", .date), AttributeDescription("price", .decimal),
            AttributeDescription("rating", .float), AttributeDescription("isLoved", .boolean),
            AttributeDescription("tags", .transformable),
        ]
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
        let isInSeveral = isFrom(.ordered)
        return EntityDescription(
            name: isRenamed ? "Track" : "Song", superentity: isFrom(.media) ? "Medium" : nil,
            attributes: attributes,
            relationships: [
                RelationshipDescription(
                    name: isInSeveral ? "playlists" : "playlist", destination: "Playlist",
                    inverse: "tracks", maxCount: isInSeveral ? 0 : 1,
                    renamingIdentifier: isInSeveral ? "playlist" : nil)
            ], renamingIdentifier: isRenamed ? "Song" : nil)
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

    /// What does not follow from the models.
    static let expectations: [MigrationExpectation] = [.removed("Song.note", before: "1.1")]

    /// A snapshot of each version.
    static func export(to folder: SnapshotFolder) throws {
        for version in allCases { try folder.export(version.rawValue, of: version.model()) }
    }
}
