import Measuring
import RunRecords

/// A sentence with **bold** and `code`, as in the summary. Each sentence is written once and shown
/// in several formats.
struct InlineText {
    private enum Style {
        case plain, bold, code
    }

    private let spans: [(text: String, style: Style)]

    /// Reads `**`, backticks and the backslashes of ``escaped(_:)``, but no other Markdown.
    init(markdown: String) {
        var spans: [(text: String, style: Style)] = []
        var style = Style.plain
        var text = ""
        func close() {
            if !text.isEmpty { spans.append((text, style)) }
            text = ""
        }
        var rest = Substring(markdown)
        while let character = rest.popFirst() {
            if character == "\\", let literal = rest.popFirst() {
                text.append(literal)
            } else if character == "*", rest.first == "*", style != .code {
                rest.removeFirst()
                close()
                style = style == .bold ? .plain : .bold
            } else if character == "`" {
                close()
                style = style == .code ? .plain : .code
            } else {
                text.append(character)
            }
        }
        close()
        self.spans = spans
    }

    var plain: String { spans.map(\.text).joined() }

    var markup: Markup {
        .sequence(
            spans.map { span in
                switch span.style {
                case .plain: .text(keepingUnits(span.text))
                case .bold: .element("strong", [:], keepingUnits(span.text))
                case .code: .code(span.text)
                }
            })
    }
}

/// A figure stays on the line of its unit.
func keepingUnits(_ text: String) -> String {
    text.replacing(/(\d) (?=(?:%|[nµm]?s|(?:[KMG]i)?B)(?:\W|$))/) { "\($0.1)\u{A0}" }
}
