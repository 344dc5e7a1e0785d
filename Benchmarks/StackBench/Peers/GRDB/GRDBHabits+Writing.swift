import Foundation
import GRDB

extension GRDBHabits {
    func findOrCreateContacts() throws {
        let people = questions.emails
        try pool.write { database in
            let find = try database.cachedStatement(
                sql: "SELECT Z_PK FROM ZCONTACT WHERE ZEMAIL = ?")
            let missing = try people.filter {
                find.setUncheckedArguments([$0.email])
                return try Int64.fetchOne(find) == nil
            }
            try insert(missing, into: "Contact", ["ZEMAIL", "ZNAME"], database) {
                [$1, $0.email, $0.name]
            }
        }
    }

    func deleteOldest() throws {
        let count = questions.sizes.oldest
        try pool.write { database in
            let keys = try Int64.fetchAll(
                database, sql: "SELECT Z_PK FROM ZPOST ORDER BY ZSENTAT LIMIT \(count)")
            let delete = try database.cachedStatement(
                sql: "DELETE FROM ZPOST WHERE Z_PK = ?")
            for key in keys { try delete.execute(arguments: [key]) }
        }
    }

    func toggleFlags() throws {
        for post in try pool.read({ try firstPosts($0) }) {
            try pool.write { database in
                try database.cachedStatement(
                    sql: "UPDATE ZPOST SET ZISREAD = ?, Z_OPT = ? WHERE Z_PK = ? AND Z_OPT = ?"
                ).execute(arguments: [!post.isRead, post.version + 1, post.key, post.version])
            }
        }
    }

    private func firstPosts(_ database: Database) throws -> [PostRecord] {
        try posts(database, "ORDER BY ZNUMBER LIMIT \(questions.sizes.edits)")
    }

    private func posts(_ database: Database, _ order: String = "") throws -> [PostRecord] {
        try SQLRequest<PostRecord>(
            sql: "SELECT \(PostRecord.selection) FROM ZPOST \(order)", cached: true
        ).fetchAll(database)
    }

    /// Gives the moved tracks places before the first one of the second playlist.
    func moveTracks() throws {
        let count = questions.sizes.tracks / 4
        try pool.write { database in
            let keys = try Int64.fetchAll(
                database,
                sql: """
                    SELECT Z_PK FROM ZTRACK \
                    WHERE ZPLAYLIST = (SELECT Z_PK FROM ZPLAYLIST WHERE ZTITLE = 'First') \
                    ORDER BY Z_FOK_PLAYLIST LIMIT \(count)
                    """)
            guard
                let second = try Row.fetchOne(
                    database,
                    sql: """
                        SELECT ZPLAYLIST, MIN(Z_FOK_PLAYLIST) FROM ZTRACK \
                        WHERE ZPLAYLIST = (SELECT Z_PK FROM ZPLAYLIST WHERE ZTITLE = 'Second')
                        """)
            else { return }
            let (playlist, firstPlace): (Int64, Int64) = (second[0], second[1])
            let update = try database.cachedStatement(
                sql: """
                    UPDATE ZTRACK SET ZPLAYLIST = ?, Z_FOK_PLAYLIST = ?, Z_OPT = Z_OPT + 1 \
                    WHERE Z_PK = ?
                    """)
            for (index, key) in keys.enumerated() {
                try update.execute(
                    arguments: [playlist, firstPlace - Int64(keys.count - index) * 1024, key])
            }
        }
    }

    func readAfterForeignUpdate() throws -> Int {
        _ = try pool.read { try posts($0) }
        try pool.write {
            try $0.execute(sql: "UPDATE ZPOST SET ZISREAD = 1, Z_OPT = Z_OPT + 1")
        }
        return try pool.read { try posts($0) }.count { $0.isRead }
    }

    func editAndUndo() throws {
        let before = try pool.read { try firstPosts($0) }
        for isUndo in [false, true] {
            try pool.write { database in
                let update = try database.cachedStatement(
                    sql: "UPDATE ZPOST SET ZTEXT = ?, Z_OPT = Z_OPT + 1 WHERE Z_PK = ?")
                for post in before {
                    try update.execute(
                        arguments: [isUndo ? post.text : "edited", post.key])
                }
            }
        }
    }

    func insertForms() throws {
        let forms = questions.forms
        for values in forms {
            for value in values {
                for rule in 0..<Int64(5) where value < -rule || value > 1_000_000 + rule {
                    throw DatabaseError(message: "out of range")
                }
            }
        }
        try pool.write { database in
            let columns = HabitModel.fieldNames.map { "Z\($0.uppercased())" }
            try insert(forms, into: "Form", columns, database) { values, key in
                StatementArguments([key] + values)
            }
        }
    }

    func editChangedPosts() throws {
        let editors = try ["first", "second"].map { ($0, try pool.read { try firstPosts($0) }) }
        for (text, posts) in editors {
            try pool.write { database in
                let update = try database.cachedStatement(
                    sql:
                        "UPDATE ZPOST SET ZTEXT = ?, Z_OPT = Z_OPT + 1 WHERE Z_PK = ? AND Z_OPT = ?"
                )
                let version = try database.cachedStatement(
                    sql: "SELECT Z_OPT FROM ZPOST WHERE Z_PK = ?")
                for post in posts {
                    try update.execute(arguments: [text, post.key, post.version])
                    guard database.changesCount == 0,
                        let found = try Int64.fetchOne(version, arguments: [post.key])
                    else { continue }
                    try update.execute(arguments: [text, post.key, found])
                }
            }
        }
    }

    /// Inserts rows with the keys after the table's last one, in the transaction that runs.
    private func insert<Values>(
        _ rows: [Values], into entity: String, _ columns: [String], _ database: Database,
        _ arguments: (Values, Int64) -> StatementArguments
    ) throws {
        let last =
            try Row.fetchOne(
                database, sql: "SELECT Z_ENT, Z_MAX FROM Z_PRIMARYKEY WHERE Z_NAME = ?",
                arguments: [entity])
        guard let last else { return }
        let number: Int = last[0]
        var key: Int64 = last[1]
        let insert = try GRDBInsertion(entity: entity, number: number, columns: columns)
            .prepare(database)
        for row in rows {
            key += 1
            try insert(arguments(row, key))
        }
        try database.execute(
            sql: "UPDATE Z_PRIMARYKEY SET Z_MAX = ? WHERE Z_NAME = ?", arguments: [key, entity])
    }
}

extension PostRecord: FetchableRecord {
    init(row: Row) {
        self.init(
            key: row[0], version: row[1], number: row[2], text: row[3], sender: row[4],
            sentAt: row[5], isRead: row[6])
    }
}
