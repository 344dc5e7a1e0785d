import Foundation
import TestSupport

@testable import ObjectGraph

/// A store in the layout of Core Data, made with plain SQL: names, numbers, hashes and metadata are
/// Apple's, and none is computed by the engine.
struct CoreDataStore {
    /// What real stores have beside the plain layout.
    enum Oddity: String, CaseIterable, Sendable {
        case none
        /// Columns with other suffixes than the names demand.
        case suffixes
        /// Entities, attributes and relationships under the names that they had before a migration.
        case staleNames
        /// Columns and join tables named by numbers that no entity has any more.
        case numberedNames
        /// A join table of a self-relation under the name of the other end.
        case otherEnd
        case lyingIndexes
        /// A constraint of the table in place of a unique index.
        case uniqueTable
        /// Keys with gaps, rows without a version.
        case gaps
        /// Tables, columns, views and triggers that no model knows.
        case foreignParts
        /// Triggers that call Core Data's functions.
        case derivedTriggers
        case rTree
        /// An R*Tree that no trigger keeps up to date.
        case bareRTree
        /// Values in files beside the store.
        case externalFiles
        /// Changes that are in the WAL only.
        case log
        case history
    }

    let folder = TemporaryFolder()
    let oddity: Oddity
    var url: URL { folder.url("App.sqlite") }

    /// The names that differ between the oddities.
    private(set) var names = [
        "asset": "3", "movie": "4", "photo": "5", "keyword": "6", "person": "7",
        "persons": "ZPERSON",
        "Person": "Person", "Movie": "Movie", "name": "ZNAME", "movieNote": "ZNOTE",
        "photoNote": "ZNOTE1", "favouriteEntity": "Z3_FAVOURITE", "place": "Z_FOK_ALBUM",
        "keywords": "Z_3KEYWORDS", "keywords.assets": "Z_3ASSETS",
        "keywords.keywords": "Z_6KEYWORDS", "lists": "Z_1LISTS", "lists.lists": "Z_2LISTS",
        "lists.albums": "Z_1ALBUMS", "lists.place": "Z_FOK_1ALBUMS", "friends": "Z_7FRIENDS",
        "friends.friends": "Z_7FRIENDS", "friends.friendOf": "Z_7FRIENDOF", "unique": "",
        "version": "1", "word": "ZWORD",
    ]

    static let thumbnails = ["0A0B0C", "FFD8FF"]
    static let file = "4C1B5F0E-3B0E-4D8C-8A55-0D6F1B1E2A33"

    /// - Parameter model: What the store says of itself; the model by default.
    init(_ oddity: Oddity = .none, carrying carried: ManagedObjectModel? = nil) throws {
        self.oddity = oddity
        rename()
        let model = try carried ?? model()
        let connection = try Connection(
            SQLiteConfiguration(path: url.path, mode: .readWriteCreate))
        try TriggerFunctions().register(on: connection)
        try connection.execute(sql(Self.tables) + sql(parts) + sql(Self.rows) + sql(oddRows))
        try note(model, on: connection)
        try connection.close()
        if oddity == .log { try addLog() }
    }

    /// The model with the names that the program uses now.
    func model() throws -> ManagedObjectModel {
        try Self.model(isRenamed: oddity == .staleNames)
    }

    func sql(_ text: String) -> String {
        names.reduce(text) { $0.replacing("{\($1.key)}", with: $1.value) }
    }

    func connection(_ mode: SQLiteConfiguration.Mode = .readOnly) throws -> Connection {
        try Connection(SQLiteConfiguration(path: url.path, mode: mode))
    }

    /// The bytes of all files of the folder, by name.
    func files() throws -> [String: Data] {
        let names = try FileManager.default.subpathsOfDirectory(atPath: folder.url.path)
        return try names.reduce(into: [:]) { files, name in
            let url = folder.url.appending(path: name)
            if try url.resourceValues(forKeys: [.isRegularFileKey]).isRegularFile == true {
                files[name] = try Data(contentsOf: url)
            }
        }
    }

    private mutating func rename() {
        switch oddity {
        case .suffixes:
            names["name"] = "ZNAME2"
            names["photoNote"] = "ZNOTE4"
            names["place"] = "Z_FOK_ALBUM1"
            names["lists.albums"] = "Z_1ALBUMS1"
            names["lists.place"] = "Z_FOK_1ALBUMS1"
        case .staleNames:
            // Sorted by the old names, Human and Video: 3 asset, 4 Photo, 5 Video, 6 Human.
            names.merge([
                "photo": "4", "movie": "5", "person": "6", "keyword": "7", "Person": "Human",
                "Movie": "Video", "persons": "ZHUMAN", "keywords.keywords": "Z_7KEYWORDS",
                "movieNote": "ZNOTE1", "photoNote": "ZNOTE", "word": "ZTEXT",
                "friends": "Z_6BUDDIES",
                "friends.friends": "Z_6BUDDIES", "friends.friendOf": "Z_6FRIENDOF",
            ]) { $1 }
        case .numberedNames:
            names.merge([
                "favouriteEntity": "Z12_FAVOURITE", "keywords": "Z_9KEYWORDS",
                "keywords.assets": "Z_9ASSETS", "keywords.keywords": "Z_21KEYWORDS",
                "lists": "Z_14ALBUMS", "lists.lists": "Z_14LISTS", "lists.albums": "Z_13ALBUMS",
                "lists.place": "Z_FOK_13ALBUMS",
            ]) { $1 }
        case .otherEnd:
            names["friends"] = "Z_7FRIENDOF"
            names["lists"] = "Z_2ALBUMS"
        case .uniqueTable: names["unique"] = ", UNIQUE (ZWORD)"
        case .gaps: names["version"] = "NULL"
        default: break
        }
    }

    /// Writes the WAL beside the file, as a program does that was ended.
    private func addLog() throws {
        let made = folder.url("made.sqlite")
        try FileManager.default.moveItem(at: url, to: made)
        let writer = try Connection(SQLiteConfiguration(path: made.path, mode: .readWrite))
        try writer.execute("PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0")
        try writer.execute(
            sql("UPDATE ZASSET SET {name} = 'logged' WHERE Z_PK = 1"))
        for suffix in ["", "-wal"] {
            try FileManager.default.copyItem(
                atPath: made.path + suffix, toPath: url.path + suffix)
        }
        try writer.close()
        try FileManager.default.removeItem(at: made)
    }
}

// MARK: - Content

extension CoreDataStore {
    private static let tables = """
        PRAGMA auto_vacuum = 2;
        CREATE TABLE Z_PRIMARYKEY (Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER, Z_MAX INTEGER);
        CREATE TABLE Z_METADATA (Z_VERSION INTEGER PRIMARY KEY, Z_UUID VARCHAR(255), Z_PLIST BLOB);
        CREATE TABLE Z_MODELCACHE (Z_CONTENT BLOB);
        CREATE TABLE ZALBUM (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZRATING INTEGER, ZTITLE VARCHAR);
        CREATE TABLE ZALBUMLIST (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZNAME VARCHAR);
        CREATE TABLE ZASSET (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZCOUNT INTEGER, ZISHIDDEN INTEGER, ZALBUM INTEGER, {place} INTEGER, ZOWNER INTEGER, ZCREATED TIMESTAMP, ZLATITUDE FLOAT, ZLENGTH FLOAT, ZLONGITUDE FLOAT, ZPRICE DECIMAL, {name} VARCHAR, {movieNote} VARCHAR, {photoNote} VARCHAR, ZADDRESS VARCHAR, ZDATA BLOB, ZTHUMBNAIL BLOB, ZIDENTIFIER BLOB);
        CREATE TABLE ZKEYWORD (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, {word} VARCHAR{unique});
        CREATE TABLE {persons} (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZASSETCOUNT INTEGER, ZFAVOURITE INTEGER, {favouriteEntity} INTEGER, ZNAME VARCHAR);
        CREATE TABLE {keywords} ({keywords.assets} INTEGER, {keywords.keywords} INTEGER, PRIMARY KEY ({keywords.assets}, {keywords.keywords}));
        CREATE TABLE {lists} ({lists.albums} INTEGER, {lists.lists} INTEGER, {lists.place} INTEGER, PRIMARY KEY ({lists.albums}, {lists.lists}));
        CREATE TABLE {friends} ({friends.friendOf} INTEGER, {friends.friends} INTEGER, PRIMARY KEY ({friends.friendOf}, {friends.friends}));
        INSERT INTO Z_PRIMARYKEY VALUES (1, 'Album', 0, 7), (2, 'AlbumList', 0, 2), ({asset}, 'asset', 0, 9), ({movie}, '{Movie}', {asset}, 0), ({photo}, 'Photo', {asset}, 0), ({keyword}, 'Keyword', 0, 2), ({person}, '{Person}', 0, 5);

        """

    private static let rows = """
        INSERT INTO ZALBUM (Z_PK, Z_ENT, Z_OPT, ZRATING, ZTITLE) VALUES (1, 1, {version}, 5, 'Nørd'), (2, 1, 4, NULL, 'Zoo'), (7, 1, 1, -3, NULL);
        INSERT INTO ZALBUMLIST VALUES (1, 2, 1, 'all'), (2, 2, 1, 'few');
        INSERT INTO ZASSET (Z_PK, Z_ENT, Z_OPT, {name}, ZALBUM, {place}, ZOWNER, ZCOUNT, ZISHIDDEN, ZCREATED, ZPRICE, ZADDRESS, ZDATA, ZIDENTIFIER) VALUES
            (1, {asset}, {version}, 'one', 1, 4096, NULL, 9007199254740993, 0, 737057651.669581, 12, 'https://example.org/a?b=c', x'00FF', x'000102030405060708090A0B0C0D0E0F'),
            (2, {movie}, 2, 'two', 1, 3072, 1, -1, 1, -12.5, 0.25, NULL, x'', NULL),
            (3, {photo}, 3, 'three', NULL, NULL, 1, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
            (9, {photo}, 1, NULL, 1, 2048, 5, 0, 1, 0, 3.5, NULL, x'01', NULL);
        UPDATE ZASSET SET {movieNote} = 'of a movie', ZLENGTH = 12.5 WHERE Z_PK = 2;
        UPDATE ZASSET SET {photoNote} = 'of a photo', ZLATITUDE = 59.25, ZLONGITUDE = 18.5, ZTHUMBNAIL = x'010A0B0C' WHERE Z_PK = 3;
        UPDATE ZASSET SET {photoNote} = 'of another', ZTHUMBNAIL = x'01' WHERE Z_PK = 9;
        INSERT INTO ZKEYWORD VALUES (1, {keyword}, 1, 'red'), (2, {keyword}, 1, 'blue');
        INSERT INTO {persons} (Z_PK, Z_ENT, Z_OPT, ZNAME, ZFAVOURITE, {favouriteEntity}, ZASSETCOUNT) VALUES
            (1, {person}, 1, 'Ada', 3, {photo}, 2), (2, {person}, 1, 'Bob', 2, {movie}, 0), (5, {person}, 2, 'Eve', NULL, NULL, 1);
        INSERT INTO {keywords} ({keywords.assets}, {keywords.keywords}) VALUES (1, 1), (3, 1), (3, 2), (9, 2);
        INSERT INTO {lists} ({lists.lists}, {lists.albums}, {lists.place}) VALUES (1, 7, 2048), (1, 1, 3072), (1, 2, 4096), (2, 2, 2048), (2, 1, 2560);
        INSERT INTO {friends} ({friends.friendOf}, {friends.friends}) VALUES (1, 2), (2, 5), (5, 1), (1, 5);

        """

    /// Tables and triggers of the oddity, which are there before the rows.
    private var parts: String {
        switch oddity {
        case .lyingIndexes:
            """
            CREATE INDEX Z_asset_byName ON ZASSET (ZDATA);
            CREATE INDEX ZASSET_Z_ENT_INDEX ON ZASSET (ZOWNER);
            CREATE UNIQUE INDEX ZKEYWORD_ZOTHER_INDEX ON ZKEYWORD (ZWORD);
            """
        case .foreignParts:
            """
            CREATE TABLE ZNOTES (Z_PK INTEGER PRIMARY KEY, ZTEXT VARCHAR);
            CREATE TABLE plain (id, value);
            INSERT INTO plain VALUES (1, x'00'), ('two', NULL);
            ALTER TABLE ZALBUM ADD COLUMN ZCOLOUR VARCHAR;
            ALTER TABLE ZALBUM ADD COLUMN "odd name" BLOB;
            CREATE VIEW titles AS SELECT ZTITLE FROM ZALBUM;
            CREATE TRIGGER noteAlbums AFTER UPDATE ON ZALBUM BEGIN INSERT INTO plain VALUES (NEW.Z_PK, OLD.ZTITLE); END;
            """
        case .derivedTriggers:
            """
            CREATE TRIGGER Z_DA_ZASSET_Person_assetCount_PARAMETER_INSERT AFTER INSERT ON ZASSET FOR EACH ROW WHEN NEW.ZOWNER IS NOT NULL BEGIN UPDATE {persons} SET ZASSETCOUNT = IFNULL(ZASSETCOUNT, 0) + 1 WHERE Z_PK = NEW.ZOWNER; SELECT NSCoreDataDATriggerUpdatedAffectedObjectValue('{persons}', Z_ENT, Z_PK, 'assetCount', ZASSETCOUNT) FROM {persons} WHERE Z_PK = NEW.ZOWNER; END;
            CREATE TRIGGER Z_DA_ZASSET_Person_assetCount_PARAMETER_UPDATE_INCREMENT AFTER UPDATE OF ZOWNER ON ZASSET FOR EACH ROW WHEN NEW.ZOWNER IS NOT NULL BEGIN UPDATE {persons} SET ZASSETCOUNT = ZASSETCOUNT + 1 WHERE Z_PK = NEW.ZOWNER; SELECT NSCoreDataDATriggerUpdatedAffectedObjectValue('{persons}', Z_ENT, Z_PK, 'assetCount', ZASSETCOUNT) FROM {persons} WHERE Z_PK = NEW.ZOWNER; END;
            CREATE TRIGGER Z_DA_ZASSET_Person_assetCount_PARAMETER_UPDATE_DECREMENT AFTER UPDATE OF ZOWNER ON ZASSET FOR EACH ROW WHEN OLD.ZOWNER IS NOT NULL BEGIN UPDATE {persons} SET ZASSETCOUNT = ZASSETCOUNT - 1 WHERE Z_PK = OLD.ZOWNER; SELECT NSCoreDataDATriggerUpdatedAffectedObjectValue('{persons}', Z_ENT, Z_PK, 'assetCount', ZASSETCOUNT) FROM {persons} WHERE Z_PK = OLD.ZOWNER; END;
            CREATE TRIGGER Z_DA_ZASSET_Person_assetCount_PARAMETER_DELETE AFTER DELETE ON ZASSET FOR EACH ROW WHEN OLD.ZOWNER IS NOT NULL BEGIN UPDATE {persons} SET ZASSETCOUNT = ZASSETCOUNT - 1 WHERE Z_PK = OLD.ZOWNER; SELECT NSCoreDataDATriggerUpdatedAffectedObjectValue('{persons}', Z_ENT, Z_PK, 'assetCount', ZASSETCOUNT) FROM {persons} WHERE Z_PK = OLD.ZOWNER; END;
            CREATE TRIGGER Z_DA_{persons}_Person_assetCount_SOURCE_INSERT AFTER INSERT ON {persons} FOR EACH ROW BEGIN UPDATE {persons} SET ZASSETCOUNT = (SELECT COUNT(*) FROM ZASSET WHERE ZOWNER = NEW.Z_PK) WHERE Z_PK = NEW.Z_PK; SELECT NSCoreDataDATriggerInsertUpdatedAffectedObjectValue('{persons}', Z_ENT, Z_PK, 'assetCount', ZASSETCOUNT) FROM {persons} WHERE Z_PK = NEW.Z_PK; END;
            CREATE TRIGGER ZT_ZASSET_ZCOUNT_ZALBUM_UPDATE AFTER UPDATE OF ZRATING ON ZALBUM FOR EACH ROW BEGIN SELECT NSCoreDataTriggerUpdateAffectedObjectValue('ZASSET', Z_ENT, Z_PK, 'ZCOUNT', ZCOUNT) FROM ZASSET WHERE ZALBUM = NEW.Z_PK; END;
            """
        case .rTree:
            """
            CREATE VIRTUAL TABLE Z_RT_Photo_location USING RTREE (Z_PK INTEGER PRIMARY KEY, ZLATITUDE_MIN FLOAT, ZLATITUDE_MAX FLOAT, ZLONGITUDE_MIN FLOAT, ZLONGITUDE_MAX FLOAT);
            CREATE TRIGGER Z_RT_Photo_location_INSERT AFTER INSERT ON ZASSET WHEN NEW.Z_ENT = {photo} BEGIN INSERT OR REPLACE INTO Z_RT_Photo_location VALUES (NEW.Z_PK, NEW.ZLATITUDE, NEW.ZLATITUDE, NEW.ZLONGITUDE, NEW.ZLONGITUDE); END;
            CREATE TRIGGER Z_RT_Photo_location_UPDATE AFTER UPDATE OF ZLATITUDE, ZLONGITUDE ON ZASSET WHEN NEW.Z_ENT = {photo} BEGIN DELETE FROM Z_RT_Photo_location WHERE Z_PK = NEW.Z_PK; INSERT INTO Z_RT_Photo_location VALUES (NEW.Z_PK, NEW.ZLATITUDE, NEW.ZLATITUDE, NEW.ZLONGITUDE, NEW.ZLONGITUDE); END;
            CREATE TRIGGER Z_RT_Photo_location_DELETE AFTER DELETE ON ZASSET BEGIN DELETE FROM Z_RT_Photo_location WHERE Z_PK = OLD.Z_PK; END;
            """
        case .bareRTree:
            "CREATE VIRTUAL TABLE Z_RT_Photo_location USING RTREE (Z_PK INTEGER PRIMARY KEY, ZLATITUDE_MIN FLOAT, ZLATITUDE_MAX FLOAT, ZLONGITUDE_MIN FLOAT, ZLONGITUDE_MAX FLOAT);"
        case .history:
            """
            CREATE TABLE ATRANSACTION (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZAUTHORTS INTEGER, ZBUNDLEIDTS INTEGER, ZCONTEXTNAMETS INTEGER, ZPROCESSIDTS INTEGER, ZTIMESTAMP FLOAT, ZAUTHOR VARCHAR, ZBUNDLEID VARCHAR, ZCONTEXTNAME VARCHAR, ZPROCESSID VARCHAR, ZQUERYGEN BLOB);
            CREATE TABLE ATRANSACTIONSTRING (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZNAME VARCHAR);
            CREATE TABLE ACHANGE (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZCHANGETYPE INTEGER, ZENTITY INTEGER, ZENTITYPK INTEGER, ZTRANSACTIONID INTEGER, ZCOLUMNS BLOB);
            INSERT INTO Z_PRIMARYKEY VALUES (16001, 'CHANGE', 0, 1), (16002, 'TRANSACTION', 0, 1), (16003, 'TRANSACTIONSTRING', 0, 1);
            INSERT INTO ATRANSACTIONSTRING VALUES (1, 16003, NULL, 'org.example.app');
            INSERT INTO ATRANSACTION (Z_PK, Z_ENT, ZBUNDLEIDTS, ZPROCESSIDTS, ZTIMESTAMP) VALUES (1, 16002, 1, 1, 737057651.5);
            INSERT INTO ACHANGE VALUES (1, 16001, NULL, 0, 1, 1, 1, NULL);
            """
        default: ""
        }
    }

    /// What the oddity changes in the rows.
    private var oddRows: String {
        switch oddity {
        case .gaps:
            """
            UPDATE ZALBUM SET Z_PK = 4000 WHERE Z_PK = 7;
            UPDATE {lists} SET {lists.albums} = 4000 WHERE {lists.albums} = 7;
            UPDATE Z_PRIMARYKEY SET Z_MAX = 5000 WHERE Z_NAME = 'Album';
            """
        case .bareRTree:
            "INSERT INTO Z_RT_Photo_location VALUES (3, 59.25, 59.25, 18.5, 18.5);"
        case .externalFiles:
            "UPDATE ZASSET SET ZTHUMBNAIL = x'02' || '\(Self.file)' || x'00' WHERE Z_PK = 9; UPDATE ZASSET SET ZTHUMBNAIL = CAST(ZTHUMBNAIL AS BLOB) WHERE Z_PK = 9;"
        case .foreignParts:
            "UPDATE ZALBUM SET ZCOLOUR = 'red', \"odd name\" = x'0001' WHERE Z_PK = 1;"
        default: ""
        }
    }

    /// The file that a value refers to.
    var externalFile: URL {
        folder.url.appending(path: ".App_SUPPORT/_EXTERNAL_DATA/\(Self.file)")
    }

    func makeExternalFile(_ data: Data) throws {
        try FileManager.default.createDirectory(
            at: externalFile.deletingLastPathComponent(), withIntermediateDirectories: true)
        try data.write(to: externalFile)
    }
}

// MARK: - Metadata and model

extension CoreDataStore {
    static var values: [String: Any] {
        [
            "text": "Ω", "count": 3, "flag": true,
            "date": Date(timeIntervalSinceReferenceDate: 0.5),
            "data": Data([0, 255]), "fraction": 0.5, "list": [1, "two", ["three": 3]],
            "long": Int64.min,
        ]
    }

    private func note(_ model: ManagedObjectModel, on connection: Connection) throws {
        // Apple's hashes follow a rule of their own.
        let hashes = Dictionary(
            uniqueKeysWithValues: model.entitiesByName.keys.map { name in
                (
                    name,
                    Data((0..<32).map { UInt8(truncatingIfNeeded: name.utf8.count * 31 + $0 * 7) })
                )
            })
        let list: [String: Any] = [
            "NSStoreType": "SQLite", "NSStoreModelVersionHashes": hashes,
            "NSStoreModelVersionHashesVersion": 3, "NSStoreModelVersionIdentifiers": ["v3"],
            "NSPersistenceFrameworkVersion": 1344, "_NSAutoVacuumLevel": "2",
            "NSStoreModelVersionHashesDigest": "bm90IG91cnM=",
        ].merging(Self.values) { $1 }
        let insert = try connection.statement("INSERT INTO Z_METADATA VALUES (1, ?, ?)")
        insert.bind("9A1A7C0E-6E38-4E29-8E4E-6C3C6B0A8D11", at: 1)
        insert.bind(
            blob: try PropertyListSerialization.data(
                fromPropertyList: list, format: .binary, options: 0), at: 2)
        try insert.run()
        let cache = try connection.statement("INSERT INTO Z_MODELCACHE VALUES (?)")
        cache.bind(blob: try model.cached(), at: 1)
        try cache.run()
    }

    static func model(isRenamed: Bool) throws -> ManagedObjectModel {
        var friends = RelationshipDescription.toMany("friends", "Person", inverse: "friendOf")
        friends.renamingIdentifier = isRenamed ? "buddies" : nil
        return try ManagedObjectModel(entities: [
            EntityDescription(
                name: "Album",
                attributes: [
                    AttributeDescription("title", .string),
                    AttributeDescription("rating", .integer16),
                ],
                relationships: [
                    .toMany("assets", "asset", inverse: "album", isOrdered: true),
                    .toMany("lists", "AlbumList", inverse: "albums"),
                ]),
            EntityDescription(
                name: "AlbumList", attributes: [AttributeDescription("name", .string)],
                relationships: [.toMany("albums", "Album", inverse: "lists", isOrdered: true)]),
            EntityDescription(
                name: "asset",
                attributes: [
                    AttributeDescription("name", .string),
                    AttributeDescription("count", .integer64),
                    AttributeDescription("isHidden", .boolean),
                    AttributeDescription("created", .date),
                    AttributeDescription("price", .decimal), AttributeDescription("address", .uri),
                    AttributeDescription("data", .binaryData),
                    AttributeDescription("identifier", .uuid),
                ],
                relationships: [
                    .toOne("album", "Album", inverse: "assets"),
                    .toOne("owner", "Person", inverse: "assets"),
                    .toMany("keywords", "Keyword", inverse: "assets"),
                    .toMany("fans", "Person", inverse: "favourite"),
                ]),
            EntityDescription(
                name: "Movie", superentity: "asset",
                attributes: [
                    AttributeDescription("note", .string), AttributeDescription("length", .double),
                ], renamingIdentifier: isRenamed ? "Video" : nil),
            EntityDescription(
                name: "Photo", superentity: "asset",
                attributes: [
                    AttributeDescription("note", .string),
                    AttributeDescription("latitude", .double),
                    AttributeDescription("longitude", .double),
                    AttributeDescription("thumbnail", .binaryData, allowsExternalStorage: true),
                ]),
            EntityDescription(
                name: "Keyword",
                attributes: [
                    AttributeDescription(
                        "word", .string, renamingIdentifier: isRenamed ? "text" : nil)
                ],
                relationships: [.toMany("assets", "asset", inverse: "keywords")],
                uniquenessConstraints: [["word"]]),
            EntityDescription(
                name: "Person",
                attributes: [
                    AttributeDescription("name", .string),
                    AttributeDescription("assetCount", .integer64),
                ],
                relationships: [
                    .toMany("assets", "asset", inverse: "owner"),
                    .toOne("favourite", "asset", inverse: "fans"),
                    friends,
                    .toMany("friendOf", "Person", inverse: "friends"),
                ], renamingIdentifier: isRenamed ? "Human" : nil),
        ])
    }
}
