/// A mistake in a workload or threshold file: its place, and what is allowed there.
struct ConfigurationError: Error, Hashable, CustomStringConvertible {
    /// The path as the user typed it.
    var file: String
    /// The line, from 1; nil if the whole file is meant.
    var line: Int?
    /// The path of keys, such as "parameters.saveSize"; empty for the document itself.
    var key: String
    var problem: String

    var description: String {
        let place = line.map { "\(file):\($0)" } ?? file
        return [place, key, problem].filter { !$0.isEmpty }.joined(separator: ": ")
    }
}

/// The message for an unknown name: the nearest known name, and all allowed names.
///
/// - Parameter others: names that are also known, and not listed.
func unknown(
    _ noun: String, _ name: String, allowed: [String], others: [String] = []
) -> String {
    let guess = suggestion(for: name, among: allowed + others) ?? "."
    let list = allowed.joined(separator: ", ")
    return "unknown \(noun) \"\(name)\"\(guess) Allowed: \(list)."
}

/// Ends a message about a cell that does not exist: with the nearest name, and the first cells.
///
/// - Parameter names: parts of cells that may be meant too.
func remedy(forMissedCell name: String, cells: [String], names: [String] = []) -> String {
    let guess = suggestion(for: name, among: names + cells) ?? "."
    let shown = cells.prefix(12).joined(separator: ", ")
    let more = cells.count > 12 ? " and \(cells.count - 12) more" : ""
    return "\(guess) The cells are \(shown)\(more)"
}

private func suggestion(for name: String, among candidates: [String]) -> String? {
    nearest(to: name, among: candidates).map { "; did you mean \"\($0)\"?" }
}

/// The candidate with the smallest edit distance, if that is small enough for a typing error.
///
/// - Parameter name: may have the wildcards of a `Glob`.
func nearest(to name: String, among candidates: [String]) -> String? {
    let closest =
        candidates
        .map { (candidate: $0, edits: editDistance(name.lowercased(), $0.lowercased())) }
        .min { $0.edits < $1.edits }
    guard let closest, closest.edits <= max(2, name.count / 3) else { return nil }
    return closest.candidate
}

/// The Levenshtein distance: insertions, deletions and replacements of one character. In the first
/// text, `*` stands for any characters and `?` for one.
private func editDistance(_ first: String, _ second: String) -> Int {
    let second = Array(second)
    var distances = Array(0...second.count)
    for character in first {
        var diagonal = distances[0]
        distances[0] += character == "*" ? 0 : 1
        for column in second.indices {
            let next = column + 1
            let isSame = character == "?" || character == second[column]
            let edits =
                character == "*"
                ? min(distances[next], distances[column])
                : min(
                    diagonal + (isSame ? 0 : 1), distances[next] + 1, distances[column] + 1)
            diagonal = distances[next]
            distances[next] = edits
        }
    }
    return distances[second.count]
}
