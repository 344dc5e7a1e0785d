import Foundation
import Testing

@testable import ObjectGraph

// What a store holds, by object and property, as text: once from plain SQL, once from a context.
extension CoreDataStore {
    /// Tables with an entity's number and the SQL of its attributes and to-one relationships.
    private static let columns:
        [(entity: String, from: String, columns: [(name: String, sql: String)])] = [
            ("Album", "ZALBUM WHERE Z_ENT = 1", [("title", "ZTITLE"), ("rating", "ZRATING")]),
            ("AlbumList", "ZALBUMLIST WHERE Z_ENT = 2", [("name", "ZNAME")]),
            ("asset", "ZASSET WHERE Z_ENT = {asset}", asset),
            (
                "Movie", "ZASSET WHERE Z_ENT = {movie}",
                asset + [("note", "{movieNote}"), ("length", "ZLENGTH")]
            ),
            (
                "Photo", "ZASSET WHERE Z_ENT = {photo}",
                asset + [
                    ("note", "{photoNote}"), ("latitude", "ZLATITUDE"), ("longitude", "ZLONGITUDE"),
                    ("thumbnail", "CAST(substr(ZTHUMBNAIL, 2) AS BLOB)"),
                ]
            ),
            ("Keyword", "ZKEYWORD WHERE Z_ENT = {keyword}", [("word", "{word}")]),
            (
                "Person", "{persons} WHERE Z_ENT = {person}",
                [
                    ("name", "ZNAME"), ("assetCount", "ZASSETCOUNT"),
                    (
                        "favourite",
                        "CASE {favouriteEntity} WHEN {asset} THEN 'asset' WHEN {movie} THEN 'Movie' WHEN {photo} THEN 'Photo' END || ' ' || ZFAVOURITE"
                    ),
                ]
            ),
        ]

    private static let asset: [(name: String, sql: String)] = [
        ("name", "{name}"), ("count", "ZCOUNT"), ("isHidden", "ZISHIDDEN"),
        ("created", "CAST(ZCREATED AS REAL)"), ("price", "CAST(ZPRICE AS REAL)"),
        ("address", "ZADDRESS"), ("data", "ZDATA"), ("identifier", "ZIDENTIFIER"),
        ("album", "'Album ' || ZALBUM"), ("owner", "'Person ' || ZOWNER"),
    ]

    /// The pairs of to-many relationships, in order.
    private static let members: [(name: String, sql: String)] = [
        ("Album.assets", "SELECT ZALBUM, Z_PK FROM ZASSET WHERE ZALBUM NOT NULL ORDER BY {place}"),
        ("Album.lists", "SELECT {lists.albums}, {lists.lists} FROM {lists} ORDER BY 2"),
        (
            "AlbumList.albums",
            "SELECT {lists.lists}, {lists.albums} FROM {lists} ORDER BY {lists.place}"
        ),
        (
            "asset.keywords",
            "SELECT {keywords.assets}, {keywords.keywords} FROM {keywords} ORDER BY 2"
        ),
        (
            "Keyword.assets",
            "SELECT {keywords.keywords}, {keywords.assets} FROM {keywords} ORDER BY 2"
        ),
        (
            "asset.fans",
            "SELECT ZFAVOURITE, Z_PK FROM {persons} WHERE ZFAVOURITE NOT NULL ORDER BY 2"
        ),
        ("Person.assets", "SELECT ZOWNER, Z_PK FROM ZASSET WHERE ZOWNER NOT NULL ORDER BY 2"),
        (
            "Person.friends",
            "SELECT {friends.friendOf}, {friends.friends} FROM {friends} ORDER BY 2"
        ),
        (
            "Person.friendOf",
            "SELECT {friends.friends}, {friends.friendOf} FROM {friends} ORDER BY 2"
        ),
    ]

    /// The values by plain SQL, without those that are nil or empty.
    func content() throws -> [String: String] {
        let connection = try connection()
        var content: [String: String] = [:]
        for (entity, from, columns) in Self.columns {
            let list = columns.map(\.sql).joined(separator: ", ")
            let rows = try connection.statement(sql("SELECT Z_PK, \(list) FROM \(from)"))
            while try rows.step() {
                let object = "\(entity) \(rows.value(at: 0).integer)"
                content[object] = ""
                for (position, column) in columns.enumerated() {
                    content["\(object).\(column.name)"] = rows.value(at: Int32(position + 1)).text
                }
            }
        }
        for (name, query) in Self.members {
            let (entity, property) = (name.split(separator: ".")[0], name.split(separator: ".")[1])
            let pairs = try connection.statement(sql(query))
            while try pairs.step() {
                let key = pairs.value(at: 0).integer
                let object = [String(entity), "Movie", "Photo"].first {
                    content["\($0) \(key)"] != nil
                }
                content["\(object ?? "?") \(key).\(property)", default: ""] +=
                    "\(pairs.value(at: 1).integer) "
            }
        }
        return content
    }
}

extension ManagedObjectContext {
    /// The values of all objects, as `CoreDataStore.content()`.
    func content() throws -> [String: String] {
        var content: [String: String] = [:]
        for entity in model.entities {
            var request = FetchRequest(entityName: entity.name)
            request.includesSubentities = false
            for object in try fetch(request, as: ManagedObject.self) {
                content[object.label] = ""
                for property in entity.properties where !property.isHidden {
                    content["\(object.label).\(property.name)"] = object.text(of: property)
                }
            }
        }
        return content
    }
}

extension ManagedObject {
    fileprivate var label: String { "\(binding.entity.name) \(objectID.reference)" }

    fileprivate func text(of property: Property) -> String? {
        switch property.kind {
        case .attribute: return SQLBinding(attributeValue(of: property)).text
        case .toOne: return destination(of: property)?.label
        case .toMany:
            let keys =
                property.relationship!.isOrdered
                ? orderedDestinations(of: property).map(\.objectID.reference)
                : destinations(of: property).map(\.objectID.reference).sorted()
            return keys.isEmpty ? nil : keys.map { "\($0) " }.joined()
        }
    }
}

extension SQLBinding {
    fileprivate var text: String? {
        switch self {
        case .null: nil
        case .integer(let value): "\(value)"
        case .real(let value): "\(value)"
        case .text(let value): value
        case .blob(let value): "\(Array(value))"
        case .array(let values): "\(values)"
        }
    }
}

extension SQLiteValueReference {
    fileprivate var text: String? {
        switch type {
        case .null: nil
        case .integer: "\(integer)"
        case .real: "\(real)"
        case .text: string
        case .blob: "\(Array(blob))"
        }
    }
}
