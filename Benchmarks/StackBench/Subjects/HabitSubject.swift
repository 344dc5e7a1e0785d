import Foundation

/// A subject of the habits: the engine or a peer, on the store of ``HabitModel``.
///
/// Each method does the whole work of one habit, as the subject's best user would write it. Methods
/// that read return a sum of what they read, which ``Habit`` compares with SQL: the length of each
/// text and the value of each number, weighted by place, depth or group where that matters.
protocol HabitSubject: InspectableSubject {
    init(habits: SubjectConfiguration, _ questions: HabitQuestions) throws

    /// Closes all connections.
    func close() throws

    // MARK: Reading

    /// All chats, the latest first, and the number of unread posts of each.
    func listChats() throws -> Int

    /// The posts of each span, in their order.
    func readCalendar() throws -> Int

    /// For each prefix the first ten contacts by name, whatever the case.
    func completeNames() throws -> Int

    /// How many posts each sender has sent.
    func countBySender() throws -> Int

    /// All branches, from the roots to the leaves, one level of one branch at a time.
    func walkBranches() throws -> Int

    /// Three of the sixty values of each row.
    func readWideRows() throws -> Int

    /// All values of each row, of which most are missing.
    func readSparseRows() throws -> Int

    /// The area and the own side of each shape.
    func readShapes() throws -> Int

    /// The sought posts, each in a context of its own.
    func findInSmallContexts() throws -> Int

    /// As many posts as are edited, found in one context by their numbers and read in another
    /// by their identifiers.
    func passIdentifiers() throws -> Int

    /// A list of all posts with a section for each sender: the sections and the first page.
    func listSections() throws -> Int

    /// The names of all photos.
    func listPhotos() throws -> Int

    // MARK: Writing

    /// Finds the contacts by their addresses, and inserts those that are missing.
    func findOrCreateContacts() throws

    /// Deletes the oldest posts as objects.
    func deleteOldest() throws

    /// Toggles the flag of the first posts, one save each.
    func toggleFlags() throws

    /// Moves the first half of the first playlist to the front of the second.
    func moveTracks() throws

    /// Marks all posts as read behind the back of a context that has them, and reads the flags
    /// there.
    func readAfterForeignUpdate() throws -> Int

    /// Changes the text of the first posts, saves, takes it back, and saves.
    func editAndUndo() throws

    /// Checks 200 rules for each form and inserts it.
    func insertForms() throws

    /// Edits the first posts, which were changed since they were read, and wins.
    func editChangedPosts() throws
}
