struct SamplesTable { let run: Run; init(_ run: Run) { self.run = run }; var text: String { "" } }
struct MarkdownReport { let run: Run; init(_ run: Run) { self.run = run }; var text: String { "" } }
