extension CItems {
    /// Copies all rows without the maker to a new table, in one transaction.
    ///
    /// - Throws: ``UnableSubject`` for the other ways: there is nothing to compare them with.
    static func migrate(
        _ configuration: SubjectConfiguration, _ way: MigratedItems.Way, hasPictures: Bool
    ) throws {
        guard way == .rewrite else {
            throw UnableSubject(
                name: Subject.sqliteC.name, kind: "migration with way=\(way.rawValue)")
        }
        let picture = hasPictures ? ", ZPICTURE" : ""
        let columns =
            "ZQUANTITY, ZDELAYMINUTES, ZNUMBER, ZPRICE, ZCREATEDAT, ZADDRESS, ZCITY, ZNAME, ZNOTE"
            + picture
        let connection = try CConnection(configuration)
        try connection.transaction {
            try connection.execute(
                """
                ALTER TABLE ZITEM RENAME TO Z_OLD;
                CREATE TABLE ZITEM (
                    Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZQUANTITY INTEGER,
                    ZDELAYMINUTES INTEGER, ZNUMBER INTEGER, ZPRICE FLOAT, ZCREATEDAT TIMESTAMP,
                    ZADDRESS VARCHAR, ZCITY VARCHAR, ZNAME VARCHAR, ZNOTE VARCHAR\(hasPictures ? ", ZPICTURE BLOB" : ""));
                INSERT INTO ZITEM (Z_PK, Z_ENT, Z_OPT, \(columns))
                    SELECT Z_PK, Z_ENT, Z_OPT, \(columns) FROM Z_OLD;
                DROP TABLE Z_OLD
                """)
        }
        try connection.close()
    }
}
