import Foundation

/// How many objects of each kind the store of habits has, and their values by number.
struct HabitSizes: Sendable {
    let posts: Int

    var chats: Int { max(posts / 100, 1) }
    var contacts: Int { posts / 4 }
    /// Each of ten branches has ten, and so on.
    var branches: Int { posts / 20 }
    /// In two playlists of the same length.
    var tracks: Int { posts / 20 / 4 * 4 }
    var wideRows: Int { posts / 4 }
    var sparseRows: Int { posts / 2 }
    var shapes: Int { posts / 4 }
    var photos: Int { 20 }

    /// How many posts a habit changes, or forms it inserts.
    var edits: Int { posts / 20 }
    /// How many of the oldest posts are deleted.
    var oldest: Int { posts / 10 }

    // MARK: Values

    static let photoBytes = 1_000_000
    static let secondsBetweenPosts = 60.0

    static func sentAt(_ number: Int) -> Date {
        Date(timeIntervalSinceReferenceDate: Double(number) * secondsBetweenPosts)
    }

    static func text(_ number: Int) -> String {
        "Post \(number) of a chat that goes on"
    }

    static func sender(_ number: Int) -> String { firstNames[number * 7 % firstNames.count] }

    static func isRead(_ number: Int) -> Bool { number % 5 != 0 }

    static func email(_ number: Int) -> String { "person\(number)@example.org" }

    static func contactName(_ number: Int) -> String {
        "\(firstNames[number % firstNames.count]) Number\(number)"
    }

    /// What a user types to find a contact.
    static let prefixes = firstNames.map { $0.prefix(2).lowercased() }

    static let prefixesAsJSON =
        "[" + prefixes.map { "\"\($0)\"" }.joined(separator: ",") + "]"

    private static let firstNames = [
        "Ada", "Bela", "Cara", "Dora", "Emil", "Fritz", "Gina", "Hugo", "Ines", "Jan", "Kim",
        "Lena", "Max", "Nora", "Otto", "Pia", "Quinn", "Rosa", "Sven", "Tara", "Uwe", "Vera",
        "Willi", "Xenia", "Yara", "Zoe",
    ]
}

/// The questions that habits ask, the same for all subjects.
struct HabitQuestions: Sendable {
    let sizes: HabitSizes

    /// Spans of a calendar, each with twenty posts.
    var spans: [Range<Date>] {
        let count = min(100, sizes.posts / 20)
        return (0..<count).map { span in
            let first = span * (sizes.posts / count)
            return HabitSizes.sentAt(first)..<HabitSizes.sentAt(first + 20)
        }
    }

    /// The posts that small contexts look for.
    var soughtNumbers: [Int64] {
        (0..<50).map { Int64($0 * 7919 % sizes.posts) }
    }

    /// The addresses of an address book, of which the first half is stored.
    var emails: [(email: String, name: String)] {
        (sizes.contacts / 2..<sizes.contacts / 2 + sizes.contacts).map {
            (HabitSizes.email($0), HabitSizes.contactName($0))
        }
    }

    /// The fields of forms to insert.
    var forms: [[Int64]] {
        (0..<sizes.edits).map { number in
            HabitModel.fieldNames.indices.map { Int64(number * 31 + $0) }
        }
    }
}
