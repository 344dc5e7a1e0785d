import Foundation

extension CHabits {
    func findOrCreateContacts() throws {
        let entity = try entityNumber("Contact")
        var find = try connection.prepare("SELECT Z_PK FROM ZCONTACT WHERE ZEMAIL = ?")
        var insert = try connection.prepare(
            """
            INSERT INTO ZCONTACT (Z_PK, Z_ENT, Z_OPT, ZEMAIL, ZNAME) \
            VALUES (?, \(entity), 1, ?, ?)
            """)
        try connection.transaction {
            var key = try lastKey("Contact")
            for person in questions.emails {
                find.bind(person.email, 1)
                if try find.step() {
                    try find.reset()
                    continue
                }
                key += 1
                insert.bind(key, 1)
                insert.bind(person.email, 2)
                insert.bind(person.name, 3)
                try insert.run()
            }
            try connection.keepLastKey(of: "Contact")
        }
    }

    func deleteOldest() throws {
        var select = try connection.prepare(
            "SELECT Z_PK FROM ZPOST ORDER BY ZSENTAT LIMIT \(questions.sizes.oldest)")
        var keys: [Int64] = []
        while try select.step() { keys.append(select.integer(0)) }
        var delete = try connection.prepare("DELETE FROM ZPOST WHERE Z_PK = ?")
        try connection.transaction {
            for key in keys {
                delete.bind(key, 1)
                try delete.run()
            }
        }
    }

    func toggleFlags() throws {
        var update = try connection.prepare(
            "UPDATE ZPOST SET ZISREAD = ?, Z_OPT = ? WHERE Z_PK = ? AND Z_OPT = ?")
        for post in try firstPosts() {
            try connection.transaction {
                update.bind(post.isRead ? 0 : 1, 1)
                update.bind(post.version + 1, 2)
                update.bind(post.key, 3)
                update.bind(post.version, 4)
                try update.run()
            }
        }
    }

    private func firstPosts() throws -> [PostRecord] {
        try posts("ORDER BY ZNUMBER LIMIT \(questions.sizes.edits)")
    }

    private func posts(_ order: String = "") throws -> [PostRecord] {
        var select = try connection.prepare("SELECT \(PostRecord.selection) FROM ZPOST \(order)")
        var posts: [PostRecord] = []
        while try select.step() { posts.append(PostRecord(select)) }
        return posts
    }

    /// Gives the moved tracks places before the first one of the second playlist.
    func moveTracks() throws {
        let first = try connection.integer("SELECT Z_PK FROM ZPLAYLIST WHERE ZTITLE = 'First'")
        let second = try connection.integer("SELECT Z_PK FROM ZPLAYLIST WHERE ZTITLE = 'Second'")
        var select = try connection.prepare(
            """
            SELECT Z_PK FROM ZTRACK WHERE ZPLAYLIST = \(first) ORDER BY Z_FOK_PLAYLIST \
            LIMIT \(questions.sizes.tracks / 4)
            """)
        var keys: [Int64] = []
        while try select.step() { keys.append(select.integer(0)) }
        let firstPlace = try connection.integer(
            "SELECT MIN(Z_FOK_PLAYLIST) FROM ZTRACK WHERE ZPLAYLIST = \(second)")
        var update = try connection.prepare(
            """
            UPDATE ZTRACK SET ZPLAYLIST = \(second), Z_FOK_PLAYLIST = ?, Z_OPT = Z_OPT + 1 \
            WHERE Z_PK = ?
            """)
        try connection.transaction {
            for (index, key) in keys.enumerated() {
                update.bind(firstPlace - Int64(keys.count - index) * 1024, 1)
                update.bind(key, 2)
                try update.run()
            }
        }
    }

    func readAfterForeignUpdate() throws -> Int {
        _ = try posts()
        try connection.execute("UPDATE ZPOST SET ZISREAD = 1, Z_OPT = Z_OPT + 1")
        return try posts().count { $0.isRead }
    }

    func editAndUndo() throws {
        let posts = try firstPosts()
        var update = try connection.prepare(
            "UPDATE ZPOST SET ZTEXT = ?, Z_OPT = Z_OPT + 1 WHERE Z_PK = ?")
        for isUndo in [false, true] {
            try connection.transaction {
                for post in posts {
                    update.bind(isUndo ? post.text : "edited", 1)
                    update.bind(post.key, 2)
                    try update.run()
                }
            }
        }
    }

    func insertForms() throws {
        let entity = try entityNumber("Form")
        let names = HabitModel.fieldNames.map { "Z\($0.uppercased())" }.joined(separator: ", ")
        let marks = String(repeating: ", ?", count: HabitModel.fieldNames.count)
        var insert = try connection.prepare(
            "INSERT INTO ZFORM (Z_PK, Z_ENT, Z_OPT, \(names)) VALUES (?, \(entity), 1\(marks))")
        try connection.transaction {
            var key = try lastKey("Form")
            for values in questions.forms {
                key += 1
                insert.bind(key, 1)
                for (index, value) in values.enumerated() {
                    for rule in 0..<Int64(5) {
                        guard value >= -rule, value <= 1_000_000 + rule else {
                            throw CSQLiteError(operation: "check", reason: "out of range")
                        }
                    }
                    insert.bind(value, Int32(index + 2))
                }
                try insert.run()
            }
            try connection.keepLastKey(of: "Form")
        }
    }

    func editChangedPosts() throws {
        let editors = try [(firstPosts(), "first"), (firstPosts(), "second")]
        var update = try connection.prepare(
            "UPDATE ZPOST SET ZTEXT = ?, Z_OPT = Z_OPT + 1 WHERE Z_PK = ? AND Z_OPT = ?")
        var version = try connection.prepare("SELECT Z_OPT FROM ZPOST WHERE Z_PK = ?")
        for (posts, text) in editors {
            try connection.transaction {
                for post in posts {
                    update.bind(text, 1)
                    update.bind(post.key, 2)
                    update.bind(post.version, 3)
                    try update.run()
                    if connection.changes == 1 { continue }
                    version.bind(post.key, 1)
                    guard try version.step() else { continue }
                    update.bind(text, 1)
                    update.bind(post.key, 2)
                    update.bind(version.integer(0), 3)
                    try version.reset()
                    try update.run()
                }
            }
        }
    }

    private func entityNumber(_ entity: String) throws -> Int64 {
        try connection.integer("SELECT Z_ENT FROM Z_PRIMARYKEY WHERE Z_NAME = '\(entity)'")
    }

    private func lastKey(_ entity: String) throws -> Int64 {
        try connection.integer("SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_NAME = '\(entity)'")
    }
}

extension PostRecord {
    /// Reads a row of `selection`.
    fileprivate init(_ statement: borrowing CStatement) {
        self.init(
            key: statement.integer(0), version: statement.integer(1),
            number: statement.integer(2), text: statement.text(3), sender: statement.text(4),
            sentAt: statement.real(5), isRead: statement.integer(6) != 0)
    }
}
