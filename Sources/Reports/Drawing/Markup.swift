import Measuring
import RunRecords

/// A piece of HTML or SVG. It is well-formed XML by construction; texts and attributes are escaped.
struct Markup: Sendable {
    private indirect enum Node: Sendable {
        case element(String, [(name: String, value: String)], [Markup])
        case text(String)
        case sequence([Markup])
    }

    private let node: Node

    static func text(_ text: String) -> Markup { Markup(node: .text(text)) }

    static func element(
        _ name: String, _ attributes: KeyValuePairs<String, String> = [:],
        _ children: [Markup] = []
    ) -> Markup {
        Markup(node: .element(name, attributes.map { ($0.key, $0.value) }, children))
    }

    static func element(
        _ name: String, _ attributes: KeyValuePairs<String, String> = [:], _ text: String
    ) -> Markup {
        element(name, attributes, [.text(text)])
    }

    static func element(_ name: String, _ text: String) -> Markup {
        element(name, [:], [.text(text)])
    }

    static func sequence(_ parts: [Markup]) -> Markup { Markup(node: .sequence(parts)) }

    static let nothing = sequence([])

    /// Elements without text between them get lines of their own, so that a diff of files is
    /// readable.
    var source: String {
        var source = ""
        write(to: &source)
        return source
    }

    /// The elements that HTML and SVG define as empty. All others get an end tag, as HTML requires.
    private static let emptyElements: Set<String> = [
        "br", "circle", "line", "link", "meta", "path", "rect", "use",
    ]

    private func write(to source: inout String) {
        switch node {
        case .text(let text): source += Self.escaped(text)
        case .sequence(let parts): Self.write(parts, to: &source)
        case .element(let name, let attributes, let children):
            source += "<\(name)"
            for (name, value) in attributes {
                source += " \(name)=\"\(Self.escaped(value).replacing("\"", with: "&quot;"))\""
            }
            if children.isEmpty, Self.emptyElements.contains(name) {
                source += "/>"
                return
            }
            source += ">"
            Self.write(children, to: &source)
            source += "</\(name)>"
        }
    }

    private static func write(_ parts: [Markup], to source: inout String) {
        let hasText = parts.contains(where: \.isText)
        for (index, part) in parts.enumerated() {
            if index > 0, !hasText, !source.hasSuffix("\n") { source += "\n" }
            part.write(to: &source)
        }
    }

    private var isText: Bool {
        switch node {
        case .text: true
        case .element: false
        case .sequence(let parts): parts.contains(where: \.isText)
        }
    }

    /// Keeps `>`: style sheets need it, and XML allows it.
    private static func escaped(_ text: String) -> String {
        guard text.utf8.contains(where: { $0 == 0x26 || $0 == 0x3C || $0 < 0x20 }) else {
            return text
        }
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            // XML 1.0 §2.2 allows no other control characters, not even escaped ones.
            case "\u{0}"..<" " where !"\t\n\r".unicodeScalars.contains(scalar): result += "\u{FFFD}"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}
