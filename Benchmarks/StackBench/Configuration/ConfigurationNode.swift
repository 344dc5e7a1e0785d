import Foundation
import Yams

/// A node of a YAML file with its file, line and path of keys.
///
/// Reading is strict: each method returns the value of the requested type or throws a
/// ``ConfigurationError``.
struct ConfigurationNode {
    let file: String
    let key: String
    private let node: Yams.Node

    /// Values of an option of the command line.
    init(option: String, _ values: [String]) {
        (file, key) = (option, "")
        node =
            values.count == 1
            ? Yams.Node(values[0]) : .sequence(Yams.Node.Sequence(values.map { Yams.Node($0) }))
    }

    private init(file: String, key: String, node: Yams.Node) {
        (self.file, self.key, self.node) = (file, key, node)
    }

    /// The documents of a file, which are separated by lines of `---`.
    static func documents(in file: String) throws -> [ConfigurationNode] {
        guard let data = FileManager.default.contents(atPath: file) else {
            throw ConfigurationError(
                file: file, line: nil, key: "", problem: "there is no such file")
        }
        guard let text = String(data: data, encoding: .utf8) else {
            throw ConfigurationError(file: file, line: nil, key: "", problem: "is not UTF-8 text")
        }
        var nodes: [ConfigurationNode] = []
        do {
            var documents = try Yams.compose_all(yaml: text)
            while let node = documents.next() {
                nodes.append(ConfigurationNode(file: file, key: "", node: node))
            }
            if let error = documents.error { throw error }
        } catch let error as YamlError {
            throw ConfigurationError(
                file: file, line: error.line, key: "", problem: error.sentence)
        }
        guard !nodes.isEmpty else {
            throw ConfigurationError(file: file, line: nil, key: "", problem: "is empty")
        }
        return nodes
    }

    func error(_ problem: String) -> ConfigurationError {
        ConfigurationError(file: file, line: node.mark?.line, key: key, problem: problem)
    }

    /// The node at a path of keys, or the deepest existing node on the way there.
    func descendant(_ keys: [String]) -> ConfigurationNode {
        guard let name = keys.first,
            let entry = node.mapping?.first(where: { $0.key.scalar?.string == name })
        else { return self }
        return ConfigurationNode(file: file, key: path(to: name), node: entry.value)
            .descendant(Array(keys.dropFirst()))
    }

    var isScalar: Bool { node.scalar != nil }

    /// The entries of a mapping that allows only these keys.
    func mapping(allowing keys: [String]) throws -> ConfigurationMapping {
        guard case .mapping(let mapping) = node else {
            throw error("must be a mapping with the keys \(keys.joined(separator: ", "))")
        }
        var entries: [String: ConfigurationNode] = [:]
        for (keyNode, value) in mapping {
            let name = keyNode.scalar?.string ?? ""
            let child = ConfigurationNode(file: file, key: path(to: name), node: value)
            guard keys.contains(name) else {
                throw ConfigurationError(
                    file: file, line: keyNode.mark?.line, key: child.key,
                    problem: unknown("key", name, allowed: keys))
            }
            entries[name] = child
        }
        return ConfigurationMapping(node: self, entries: entries)
    }

    /// The elements of a list; a single value counts as a list of one element.
    func list() throws -> [ConfigurationNode] {
        guard case .sequence(let elements) = node else { return [self] }
        guard !elements.isEmpty else { throw error("must not be empty") }
        return elements.map { ConfigurationNode(file: file, key: key, node: $0) }
    }

    /// Reads the elements of a list and throws if a value occurs twice.
    func distinct<Value: Equatable>(
        _ read: (ConfigurationNode) throws -> Value
    ) throws -> [Value] {
        var values: [Value] = []
        for element in try list() {
            let value = try read(element)
            guard !values.contains(value) else { throw element.error("\(value) appears twice") }
            values.append(value)
        }
        return values
    }

    func string() throws -> String {
        guard case .scalar(let scalar) = node, !scalar.string.isEmpty else {
            throw error("must be text")
        }
        return scalar.string
    }

    func integer(in range: ClosedRange<Int>) throws -> Int {
        guard case .scalar(let scalar) = node, let value = Int(scalar.string) else {
            throw error("must be a whole number from \(range.lowerBound) to \(range.upperBound)")
        }
        guard range.contains(value) else {
            throw error("\(value) is not from \(range.lowerBound) to \(range.upperBound)")
        }
        return value
    }

    func number() throws -> Double {
        guard case .scalar(let scalar) = node, let value = Double(scalar.string), value.isFinite
        else { throw error("must be a number") }
        return value
    }

    func number(in range: ClosedRange<Double>) throws -> Double {
        let value = try number()
        guard range.contains(value) else {
            throw error("\(value) is not from \(range.lowerBound) to \(range.upperBound)")
        }
        return value
    }

    /// A share written as a percentage, such as 5 %. The bounds are shares.
    func percentage(in range: ClosedRange<Double>) throws -> Double {
        let text = try string()
        guard text.hasSuffix("%"),
            let percent = Double(text.dropLast().filter { $0 != " " }),
            range.contains(percent / 100)
        else {
            throw error(
                "\(text) is not a percentage from \(range.lowerBound * 100)% "
                    + "to \(range.upperBound * 100)%")
        }
        return percent / 100
    }

    func choice(_ noun: String, of allowed: [String]) throws -> String {
        let name = try string()
        guard allowed.contains(name) else {
            throw error(unknown(noun, name, allowed: allowed))
        }
        return name
    }

    /// A case of an enum, by its raw value.
    func choice<Value: CaseIterable & RawRepresentable<String>>(_ noun: String) throws -> Value {
        let name = try choice(noun, of: Value.allCases.map(\.rawValue))
        return Value(rawValue: name)!
    }

    private func path(to name: String) -> String {
        key.isEmpty ? name : "\(key).\(name)"
    }
}

/// The entries of a mapping whose keys are all allowed.
struct ConfigurationMapping {
    fileprivate let node: ConfigurationNode
    fileprivate let entries: [String: ConfigurationNode]

    subscript(_ key: String) -> ConfigurationNode? { entries[key] }

    func required(_ key: String) throws -> ConfigurationNode {
        guard let value = entries[key] else { throw node.error("the key \"\(key)\" is missing") }
        return value
    }

    /// Checks `schema: 1`. The number lets later versions recognize old files.
    func requireSchema() throws {
        _ = try required("schema").integer(in: 1...1)
    }
}

extension YamlError {
    fileprivate var line: Int? {
        switch self {
        case .scanner(_, _, let mark, _), .parser(_, _, let mark, _), .composer(_, _, let mark, _):
            mark.line
        case .duplicatedKeysInMapping(_, let context): context.mark.line
        default: nil
        }
    }

    fileprivate var sentence: String {
        switch self {
        case .scanner(_, let problem, _, _), .parser(_, let problem, _, _),
            .composer(_, let problem, _, _):
            "is not valid YAML: \(problem)"
        case .duplicatedKeysInMapping(let keys, _):
            "the key \"\(keys.sorted().joined(separator: "\", \""))\" appears twice"
        default: "is not valid YAML: \(self)"
        }
    }
}
