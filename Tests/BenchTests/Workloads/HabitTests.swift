import Testing

extension `Workloads on few rows` {
    /// SQL knows each answer, and what is in the store after each work.
    @Test func `the engine and its peers agree about what apps do`() throws {
        let habits = [
            "chats", "calendar", "autocomplete", "group-count", "tree", "wide", "sparse",
            "inheritance", "small-contexts", "identifiers", "sections", "photos",
            "find-or-create", "delete-oldest", "toggle", "move", "foreign-update", "undo",
            "rules", "conflict",
        ]
        let cells = try run(
            "habit", "object-graph, peers",
            "rows: 400, habit: [\(habits.joined(separator: ", "))]")
        #expect(cells.count == 3 * habits.count)
        for cell in cells { #expect(cell.isSound, "\(cell.identifier)") }
    }
}
