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

/// The message for an unknown name: the nearest allowed name, and all allowed names.
func unknown(_ noun: String, _ name: String, allowed: [String]) -> String {
    let guess = nearest(to: name, among: allowed).map { "; did you mean \"\($0)\"?" } ?? "."
    let list = allowed.joined(separator: ", ")
    return "unknown \(noun) \"\(name)\"\(guess) Allowed: \(list)."
}

/// The candidate with the smallest edit distance, if that is small enough for a typing error.
func nearest(to name: String, among candidates: [String]) -> String? {
    let closest =
        candidates
        .map { (candidate: $0, edits: editDistance(name.lowercased(), $0.lowercased())) }
        .min { $0.edits < $1.edits }
    guard let closest, closest.edits <= max(2, name.count / 3) else { return nil }
    return closest.candidate
}

/// The Levenshtein distance: insertions, deletions and replacements of one character.
private func editDistance(_ first: String, _ second: String) -> Int {
    let second = Array(second)
    var distances = Array(0...second.count)
    for (row, character) in first.enumerated() {
        var diagonal = distances[0]
        distances[0] = row + 1
        for column in second.indices {
            let replaced = diagonal + (second[column] == character ? 0 : 1)
            diagonal = distances[column + 1]
            distances[column + 1] = min(replaced, diagonal + 1, distances[column] + 1)
        }
    }
    return distances[second.count]
}
