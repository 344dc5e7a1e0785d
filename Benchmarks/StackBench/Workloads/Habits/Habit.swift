import Foundation
import Measuring
import RunRecords

/// Something that many apps do, for which the engine's speed table has no row.
///
/// A new habit is one value of ``all`` and a method of ``HabitSubject``.
struct Habit: Sendable {
    let name: String
    let summary: String
    let proof: Proof
    /// What work that writes returns, if it reads as well.
    var found: (@Sendable (HabitSizes) -> Int)?
    let work: @Sendable (any HabitSubject) throws -> Int

    /// How SQL shows that the work was done.
    enum Proof: Sendable {
        /// The work reads, and returns what this statement does.
        case answer(String)
        /// The work writes, and this statement then returns the number.
        case effect(String, @Sendable (HabitSizes) -> Int)
    }

    static func named(_ name: String) -> Habit? { all.first { $0.name == name } }
}

extension Habit {
    static let all: [Habit] = reading + writing

    private init(
        reading name: String, _ summary: String, answer: String,
        _ work: @escaping @Sendable (any HabitSubject) throws -> Int
    ) {
        self.init(name: name, summary: summary, proof: .answer(answer), work: work)
    }

    private init(
        writing name: String, _ summary: String, effect: String,
        _ expected: @escaping @Sendable (HabitSizes) -> Int,
        _ work: @escaping @Sendable (any HabitSubject) throws -> Void
    ) {
        self.init(name: name, summary: summary, proof: .effect(effect, expected)) {
            try work($0)
            return 0
        }
    }

    /// A group weighs by the square of its size, so that posts of a wrong sender show.
    private static let groupSum = """
        (SELECT SUM(LENGTH(ZSENDER) * count * count) FROM \
        (SELECT ZSENDER, COUNT(*) AS count FROM ZPOST GROUP BY ZSENDER))
        """

    private static let reading = [
        Habit(
            reading: "chats", "all chats with their unread counts",
            answer: """
                SELECT SUM(place * (LENGTH(ZTITLE) + 31 * (SELECT COUNT(*) FROM ZPOST \
                WHERE ZCHAT = c.Z_PK AND ZISREAD = 0))) FROM (SELECT *, \
                ROW_NUMBER() OVER (ORDER BY ZUPDATEDAT DESC) AS place FROM ZCHAT) c
                """
        ) { try $0.listChats() },
        Habit(
            reading: "calendar", "a hundred spans of twenty posts each",
            answer: """
                WITH spans(number, step) AS (SELECT MIN(100, COUNT(*) / 20), \
                COUNT(*) / MIN(100, COUNT(*) / 20) FROM ZPOST) \
                SELECT SUM(LENGTH(ZTEXT) + LENGTH(ZSENDER)) FROM ZPOST, spans \
                WHERE ZNUMBER % step < 20 AND ZNUMBER < number * step
                """
        ) { try $0.readCalendar() },
        Habit(
            reading: "autocomplete", "ten names for each of 26 prefixes, whatever the case",
            answer: """
                SELECT SUM((SELECT SUM(LENGTH(ZNAME)) FROM (SELECT ZNAME FROM ZCONTACT \
                WHERE ZNAME LIKE p.value || '%' ORDER BY ZNAME LIMIT 10))) \
                FROM json_each('\(HabitSizes.prefixesAsJSON)') p
                """
        ) { try $0.completeNames() },
        Habit(
            reading: "group-count", "the number of posts by sender",
            answer: "SELECT \(groupSum)"
        ) { try $0.countBySender() },
        Habit(
            reading: "tree", "all branches, one branch's children at a time",
            answer: """
                WITH RECURSIVE t(key, depth) AS (SELECT Z_PK, 1 FROM ZBRANCH WHERE ZPARENT IS NULL \
                UNION ALL SELECT Z_PK, depth + 1 FROM ZBRANCH JOIN t ON ZPARENT = t.key) \
                SELECT SUM(depth * LENGTH(ZNAME)) FROM t JOIN ZBRANCH ON Z_PK = t.key
                """
        ) { try $0.walkBranches() },
        Habit(
            reading: "wide", "three of sixty values of each row",
            answer: "SELECT SUM(ZNUMBER0 + ZNUMBER29 + LENGTH(ZTEXT29)) FROM ZWIDEROW"
        ) { try $0.readWideRows() },
        Habit(
            reading: "sparse", "thirty optional values of each row, three of them set",
            answer: """
                SELECT SUM(\((0..<HabitModel.sparseCount).map { "COALESCE(ZVALUE\($0), 0)" }
                    .joined(separator: " + "))) FROM ZSPARSEROW
                """
        ) { try $0.readSparseRows() },
        Habit(
            reading: "inheritance", "the objects of an entity with twelve subentities",
            answer: "SELECT SUM(2 * ZAREA + 1) FROM ZSHAPE"
        ) { try $0.readShapes() },
        Habit(
            reading: "small-contexts", "fifty contexts, each for one post",
            answer: """
                SELECT SUM((SELECT LENGTH(ZTEXT) FROM ZPOST WHERE ZNUMBER = value * 7919 % \
                (SELECT COUNT(*) FROM ZPOST))) \
                FROM (WITH RECURSIVE n(value) AS (SELECT 0 UNION ALL SELECT value + 1 FROM n \
                WHERE value < 49) SELECT value FROM n)
                """
        ) { try $0.findInSmallContexts() },
        Habit(
            reading: "identifiers", "posts that another context has found, by their identifiers",
            answer: """
                SELECT SUM(LENGTH(ZTEXT)) FROM ZPOST \
                WHERE ZNUMBER < (SELECT COUNT(*) / 20 FROM ZPOST)
                """
        ) { try $0.passIdentifiers() },
        Habit(
            reading: "sections", "a list with sections and its first page",
            answer: """
                SELECT \(groupSum) + (SELECT SUM(LENGTH(ZTEXT)) \
                FROM (SELECT ZTEXT FROM ZPOST WHERE ZSENDER = (SELECT MIN(ZSENDER) \
                FROM ZPOST) ORDER BY ZSENTAT LIMIT 20))
                """
        ) { try $0.listSections() },
        Habit(
            reading: "photos", "the names of rows whose megabyte is in a file of its own",
            answer: "SELECT SUM(LENGTH(ZNAME)) FROM ZPHOTO"
        ) { try $0.listPhotos() },
    ]

    private static let writing = [
        Habit(
            writing: "find-or-create", "contacts by a unique address, half of them new",
            effect: "SELECT SUM(LENGTH(ZEMAIL) * LENGTH(ZNAME)) FROM ZCONTACT"
        ) {
            (0..<$0.contacts + $0.contacts / 2).reduce(0) {
                $0 + HabitSizes.email($1).count * HabitSizes.contactName($1).count
            }
        } _: {
            try $0.findOrCreateContacts()
        },
        Habit(
            writing: "delete-oldest", "deletes the oldest tenth",
            effect: "SELECT COUNT(*) * 1000000 + MIN(ZNUMBER) FROM ZPOST"
        ) {
            ($0.posts - $0.oldest) * 1_000_000 + $0.oldest
        } _: {
            try $0.deleteOldest()
        },
        Habit(
            writing: "toggle", "a flag of each post, one save each",
            effect: "SELECT SUM(Z_OPT) * 1000000000000 + SUM(ZISREAD * ZNUMBER) FROM ZPOST"
        ) { sizes in
            (sizes.posts + sizes.edits) * 1_000_000_000_000
                + (0..<sizes.posts).filter {
                    HabitSizes.isRead($0) == ($0 >= sizes.edits)
                }.reduce(0, +)
        } _: {
            try $0.toggleFlags()
        },
        Habit(
            writing: "move", "tracks to the front of another ordered list",
            effect: """
                SELECT SUM(ZNUMBER * place) FROM (SELECT ZNUMBER, ROW_NUMBER() OVER \
                (ORDER BY Z_FOK_PLAYLIST) AS place FROM ZTRACK WHERE ZPLAYLIST = \
                (SELECT Z_PK FROM ZPLAYLIST WHERE ZTITLE = 'Second'))
                """
        ) { sizes in
            let moved = Array(0..<sizes.tracks / 4)
            return (moved + (sizes.tracks / 2..<sizes.tracks)).enumerated().reduce(0) {
                $0 + $1.element * ($1.offset + 1)
            }
        } _: {
            try $0.moveTracks()
        },
        Habit(
            name: "foreign-update", summary: "all posts again after a batch update",
            proof: .effect("SELECT SUM(ZISREAD) FROM ZPOST", \.posts), found: \.posts
        ) { try $0.readAfterForeignUpdate() },
        Habit(
            writing: "undo", "an edit of many posts, saved and taken back",
            effect: """
                SELECT SUM(Z_OPT) * 1000000 + COUNT(*) FILTER (WHERE ZTEXT IS NOT 'Post ' || ZNUMBER \
                || ' of a chat that goes on') FROM ZPOST
                """
        ) {
            ($0.posts + 2 * $0.edits) * 1_000_000
        } _: {
            try $0.editAndUndo()
        },
        Habit(
            writing: "rules", "forms with 200 validation rules each",
            effect: """
                SELECT SUM(\(HabitModel.fieldNames.indices.map { "ZFIELD\($0) * \($0 + 1)" }
                    .joined(separator: " + "))) FROM ZFORM
                """
        ) {
            HabitQuestions(sizes: $0).forms.joined().enumerated().reduce(0) {
                $0 + Int($1.element) * ($1.offset % HabitModel.fieldNames.count + 1)
            }
        } _: {
            try $0.insertForms()
        },
        Habit(
            writing: "conflict", "an edit of posts that were changed meanwhile",
            effect: """
                SELECT SUM(Z_OPT) * 1000000 + COUNT(NULLIF(ZTEXT = 'second', 0)) FROM ZPOST
                """
        ) {
            ($0.posts + 2 * $0.edits) * 1_000_000 + $0.edits
        } _: {
            try $0.editChangedPosts()
        },
    ]
}
