import Foundation
import GRDB

/// The habits with GRDB: a pool, cached statements, and values decoded by position.
final class GRDBHabits: HabitSubject {
    let pool: DatabasePool
    let questions: HabitQuestions

    init(habits configuration: SubjectConfiguration, _ questions: HabitQuestions) throws {
        pool = try DatabasePool(configuration)
        self.questions = questions
    }

    func settings(_ pragmas: [String]) throws -> [[String]] { try pool.settings(pragmas) }

    func close() throws { try pool.close() }

    /// A row with a key and a text: a chat, a branch, a post.
    struct Named: FetchableRecord {
        let key: Int64
        let name: String

        init(row: Row) {
            key = row[0]
            name = row[1]
        }
    }

    private struct Line: FetchableRecord {
        let text: String
        let sender: String

        init(row: Row) {
            text = row[0]
            sender = row[1]
        }
    }

    private func sumOfTexts(_ sql: String, _ arguments: StatementArguments = []) throws -> Int {
        let request = SQLRequest<String>(sql: sql, arguments: arguments, cached: true)
        return try pool.read { try request.fetchAll($0) }.reduce(0) { $0 + $1.utf8.count }
    }

    // MARK: Reading

    func listChats() throws -> Int {
        let (counts, chats) = try pool.read { database in
            var counts: [Int64: Int] = [:]
            let rows = try Row.fetchCursor(
                database,
                sql: "SELECT ZCHAT, COUNT(*) FROM ZPOST WHERE ZISREAD = 0 GROUP BY ZCHAT")
            while let row = try rows.next() { counts[row[0]] = row[1] }
            let chats = try SQLRequest<Named>(
                sql: "SELECT Z_PK, ZTITLE FROM ZCHAT ORDER BY ZUPDATEDAT DESC", cached: true
            ).fetchAll(database)
            return (counts, chats)
        }
        return chats.enumerated().reduce(0) { sum, chat in
            let unread = counts[chat.element.key, default: 0]
            return sum + (chat.offset + 1) * (chat.element.name.utf8.count + 31 * unread)
        }
    }

    func readCalendar() throws -> Int {
        try questions.spans.reduce(0) { sum, span in
            let request = SQLRequest<Line>(
                sql: """
                    SELECT ZTEXT, ZSENDER FROM ZPOST WHERE ZSENTAT >= ? AND ZSENTAT < ? \
                    ORDER BY ZSENTAT
                    """,
                arguments: [
                    span.lowerBound.timeIntervalSinceReferenceDate,
                    span.upperBound.timeIntervalSinceReferenceDate,
                ], cached: true)
            return try pool.read { try request.fetchAll($0) }.reduce(sum) {
                $0 + $1.text.utf8.count + $1.sender.utf8.count
            }
        }
    }

    func completeNames() throws -> Int {
        try HabitSizes.prefixes.reduce(0) {
            try $0
                + sumOfTexts(
                    "SELECT ZNAME FROM ZCONTACT WHERE ZNAME LIKE ? || '%' ORDER BY ZNAME LIMIT 10",
                    [$1])
        }
    }

    func countBySender() throws -> Int {
        try pool.read { database in
            var sum = 0
            let rows = try Row.fetchCursor(
                database, sql: "SELECT ZSENDER, COUNT(*) FROM ZPOST GROUP BY ZSENDER")
            while let row = try rows.next() {
                let (sender, count): (String, Int) = (row[0], row[1])
                sum += sender.utf8.count * count * count
            }
            return sum
        }
    }

    func walkBranches() throws -> Int {
        let roots = SQLRequest<Named>(
            sql: "SELECT Z_PK, ZNAME FROM ZBRANCH WHERE ZPARENT IS NULL", cached: true)
        return try pool.read { database in
            func sum(_ branch: Named, _ depth: Int) throws -> Int {
                try SQLRequest<Named>(
                    sql: "SELECT Z_PK, ZNAME FROM ZBRANCH WHERE ZPARENT = ?",
                    arguments: [branch.key], cached: true
                ).fetchAll(database).reduce(depth * branch.name.utf8.count) {
                    try $0 + sum($1, depth + 1)
                }
            }
            return try roots.fetchAll(database).reduce(0) { try $0 + sum($1, 1) }
        }
    }

    func readWideRows() throws -> Int {
        struct Wide: FetchableRecord {
            let first: Int
            let last: Int
            let text: String

            init(row: Row) {
                first = row[0]
                last = row[1]
                text = row[2]
            }
        }
        let request = SQLRequest<Wide>(
            sql: "SELECT ZNUMBER0, ZNUMBER29, ZTEXT29 FROM ZWIDEROW", cached: true)
        return try pool.read { try request.fetchAll($0) }.reduce(0) {
            $0 + $1.first + $1.last + $1.text.utf8.count
        }
    }

    func readSparseRows() throws -> Int {
        let columns = (0..<HabitModel.sparseCount).map { "ZVALUE\($0)" }.joined(separator: ", ")
        return try pool.read { database in
            // As an array of structs with thirty fields lies in memory.
            var values: [Int64?] = []
            let rows = try Row.fetchCursor(database, sql: "SELECT \(columns) FROM ZSPARSEROW")
            while let row = try rows.next() {
                for column in 0..<HabitModel.sparseCount { values.append(row[column]) }
            }
            return values.reduce(0) { $0 + Int($1 ?? 0) }
        }
    }

    func readShapes() throws -> Int {
        struct Shape: FetchableRecord {
            let area: Int
            let side: Int

            init(row: Row) {
                area = row[1]
                side = row[2 + (row[0] as Int)]
            }
        }
        let sides = (0..<HabitModel.shapeKinds).map { "ZSIDE\($0)" }.joined(separator: ", ")
        let request = SQLRequest<Shape>(
            sql: "SELECT ZKIND, ZAREA, \(sides) FROM ZSHAPE", cached: true)
        return try pool.read { try request.fetchAll($0) }.reduce(0) { $0 + $1.area + $1.side }
    }

    func findInSmallContexts() throws -> Int {
        try questions.soughtNumbers.reduce(0) {
            try $0 + sumOfTexts("SELECT ZTEXT FROM ZPOST WHERE ZNUMBER = ?", [$1])
        }
    }

    func passIdentifiers() throws -> Int {
        let keys = try pool.read { try firstKeys($0) }
        return try pool.read { database in
            try keys.reduce(0) {
                let request = SQLRequest<String>(
                    sql: "SELECT ZTEXT FROM ZPOST WHERE Z_PK = ?", arguments: [$1],
                    cached: true)
                return try $0 + (request.fetchOne(database)?.utf8.count ?? 0)
            }
        }
    }

    /// The keys of the posts that are edited.
    func firstKeys(_ database: Database) throws -> [Int64] {
        try SQLRequest<Int64>(
            sql: "SELECT Z_PK FROM ZPOST ORDER BY ZNUMBER LIMIT \(questions.sizes.edits)",
            cached: true
        ).fetchAll(database)
    }

    func listSections() throws -> Int {
        let sections = try countBySender()
        return try sections
            + sumOfTexts(
                """
                SELECT ZTEXT FROM ZPOST WHERE ZSENDER = (SELECT MIN(ZSENDER) FROM ZPOST) \
                ORDER BY ZSENTAT LIMIT 20
                """)
    }

    func listPhotos() throws -> Int { try sumOfTexts("SELECT ZNAME FROM ZPHOTO") }
}
