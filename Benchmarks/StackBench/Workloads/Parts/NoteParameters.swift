extension WorkloadParameter {
    static let notes = WorkloadParameter(
        name: "rows", values: .integer(1...10_000_000), defaultValue: "20000", summary: "notes")
    static let notesPerFolder = WorkloadParameter(
        name: "notesPerFolder", values: .integer(1...1_000_000), defaultValue: "100",
        summary: "notes in each folder")
}
