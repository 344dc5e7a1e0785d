import Foundation

/// The habits through SQLite's C API, as a careful programmer writes them: structs with their
/// strings, and statements that read no more than is shown.
final class CHabits: HabitSubject {
    let connection: CConnection
    let questions: HabitQuestions

    init(habits configuration: SubjectConfiguration, _ questions: HabitQuestions) throws {
        connection = try CConnection(configuration)
        self.questions = questions
    }

    func settings(_ pragmas: [String]) throws -> [[String]] {
        try [connection.settings(pragmas)]
    }

    func close() throws {
        childSelect.finalize()
        try connection.close()
    }

    private struct Chat {
        let key: Int64
        let title: String
    }

    /// What a list of posts shows.
    private struct Line {
        let text: String
        let sender: String
    }

    private struct Branch {
        let key: Int64
        let name: String
    }

    /// The texts of a column.
    private func texts(_ sql: String) throws -> [String] {
        var select = try connection.prepare(sql)
        var texts: [String] = []
        while try select.step() { texts.append(select.text(0)) }
        return texts
    }

    // MARK: Reading

    func listChats() throws -> Int {
        var counts: [Int64: Int] = [:]
        var select = try connection.prepare(
            "SELECT ZCHAT, COUNT(*) FROM ZPOST WHERE ZISREAD = 0 GROUP BY ZCHAT")
        while try select.step() { counts[select.integer(0)] = Int(select.integer(1)) }
        var chats: [Chat] = []
        select = try connection.prepare("SELECT Z_PK, ZTITLE FROM ZCHAT ORDER BY ZUPDATEDAT DESC")
        while try select.step() {
            chats.append(Chat(key: select.integer(0), title: select.text(1)))
        }
        return chats.enumerated().reduce(0) { sum, chat in
            let unread = counts[chat.element.key, default: 0]
            return sum + (chat.offset + 1) * (chat.element.title.utf8.count + 31 * unread)
        }
    }

    func readCalendar() throws -> Int {
        var select = try connection.prepare(
            """
            SELECT ZTEXT, ZSENDER FROM ZPOST WHERE ZSENTAT >= ? AND ZSENTAT < ? \
            ORDER BY ZSENTAT
            """)
        var sum = 0
        for span in questions.spans {
            select.bind(span.lowerBound, 1)
            select.bind(span.upperBound, 2)
            var lines: [Line] = []
            while try select.step() {
                lines.append(Line(text: select.text(0), sender: select.text(1)))
            }
            for line in lines { sum += line.text.utf8.count + line.sender.utf8.count }
        }
        return sum
    }

    func completeNames() throws -> Int {
        var select = try connection.prepare(
            "SELECT ZNAME FROM ZCONTACT WHERE ZNAME LIKE ? || '%' ORDER BY ZNAME LIMIT 10")
        var sum = 0
        for prefix in HabitSizes.prefixes {
            select.bind(prefix, 1)
            var names: [String] = []
            while try select.step() { names.append(select.text(0)) }
            for name in names { sum += name.utf8.count }
        }
        return sum
    }

    func countBySender() throws -> Int {
        var select = try connection.prepare(
            "SELECT ZSENDER, COUNT(*) FROM ZPOST GROUP BY ZSENDER")
        var sum = 0
        while try select.step() {
            let count = Int(select.integer(1))
            sum += select.text(0).utf8.count * count * count
        }
        return sum
    }

    func walkBranches() throws -> Int {
        var roots = try connection.prepare(
            "SELECT Z_PK, ZNAME FROM ZBRANCH WHERE ZPARENT IS NULL")
        // One read transaction, as a turn of a context's queue has.
        try connection.execute("BEGIN")
        let total = try Self.branches(&roots).reduce(0) { try $0 + sum($1, 1) }
        try connection.execute("COMMIT")
        return total
    }

    private func sum(_ branch: Branch, _ depth: Int) throws -> Int {
        try children(branch.key).reduce(depth * branch.name.utf8.count) {
            try $0 + sum($1, depth + 1)
        }
    }

    private static func branches(_ select: inout CStatement) throws -> [Branch] {
        var branches: [Branch] = []
        while try select.step() {
            branches.append(Branch(key: select.integer(0), name: select.text(1)))
        }
        return branches
    }

    private let childSelect = KeptStatement()

    private func children(_ parent: Int64) throws -> [Branch] {
        try childSelect.use(
            "SELECT Z_PK, ZNAME FROM ZBRANCH WHERE ZPARENT = ?", on: connection
        ) { select in
            select.bind(parent, 1)
            return try Self.branches(&select)
        }
    }

    func readWideRows() throws -> Int {
        struct Row {
            let first: Int64
            let last: Int64
            let text: String
        }
        var select = try connection.prepare("SELECT ZNUMBER0, ZNUMBER29, ZTEXT29 FROM ZWIDEROW")
        var rows: [Row] = []
        while try select.step() {
            rows.append(
                Row(first: select.integer(0), last: select.integer(1), text: select.text(2)))
        }
        return rows.reduce(0) { $0 + Int($1.first) + Int($1.last) + $1.text.utf8.count }
    }

    func readSparseRows() throws -> Int {
        let columns = (0..<HabitModel.sparseCount).map { "ZVALUE\($0)" }.joined(separator: ", ")
        var select = try connection.prepare("SELECT \(columns) FROM ZSPARSEROW")
        // As an array of structs with thirty fields lies in memory.
        var values: [Int64?] = []
        while try select.step() {
            for column in 0..<Int32(HabitModel.sparseCount) {
                values.append(select.optionalInteger(column))
            }
        }
        return values.reduce(0) { $0 + Int($1 ?? 0) }
    }

    func readShapes() throws -> Int {
        struct Shape {
            let area: Int64
            let side: Int64
        }
        let sides = (0..<HabitModel.shapeKinds).map { "ZSIDE\($0)" }.joined(separator: ", ")
        var select = try connection.prepare("SELECT ZKIND, ZAREA, \(sides) FROM ZSHAPE")
        var shapes: [Shape] = []
        while try select.step() {
            shapes.append(
                Shape(
                    area: select.integer(1), side: select.integer(2 + Int32(select.integer(0)))))
        }
        return shapes.reduce(0) { $0 + Int($1.area) + Int($1.side) }
    }

    func findInSmallContexts() throws -> Int {
        var select = try connection.prepare("SELECT ZTEXT FROM ZPOST WHERE ZNUMBER = ?")
        var sum = 0
        for number in questions.soughtNumbers {
            select.bind(number, 1)
            if try select.step() {
                sum += select.text(0).utf8.count
                try select.reset()
            }
        }
        return sum
    }

    func passIdentifiers() throws -> Int {
        let keys = try firstKeys()
        var select = try connection.prepare("SELECT ZTEXT FROM ZPOST WHERE Z_PK = ?")
        var sum = 0
        try connection.transaction {
            for key in keys {
                select.bind(key, 1)
                if try select.step() {
                    sum += select.text(0).utf8.count
                    try select.reset()
                }
            }
        }
        return sum
    }

    /// The keys of the posts that are edited.
    func firstKeys() throws -> [Int64] {
        var select = try connection.prepare(
            "SELECT Z_PK FROM ZPOST ORDER BY ZNUMBER LIMIT \(questions.sizes.edits)")
        var keys: [Int64] = []
        while try select.step() { keys.append(select.integer(0)) }
        return keys
    }

    func listSections() throws -> Int {
        var sum = try countBySender()
        let first = try texts("SELECT MIN(ZSENDER) FROM ZPOST")[0]
        var select = try connection.prepare(
            "SELECT ZTEXT FROM ZPOST WHERE ZSENDER = ? ORDER BY ZSENTAT LIMIT 20")
        select.bind(first, 1)
        while try select.step() { sum += select.text(0).utf8.count }
        return sum
    }

    func listPhotos() throws -> Int {
        try texts("SELECT ZNAME FROM ZPHOTO").reduce(0) { $0 + $1.utf8.count }
    }
}

/// A statement that a class keeps, since it cannot be copied.
final class KeptStatement {
    private var statement: CStatement?

    func use<Result>(
        _ sql: String, on connection: CConnection, _ body: (inout CStatement) throws -> Result
    ) throws -> Result {
        var statement = try self.statement.take() ?? connection.prepare(sql)
        let result = try body(&statement)
        self.statement = consume statement
        return result
    }

    func finalize() { statement = nil }
}
