import Measuring
import RunRecords

/// A drawing with its title, and its content in words for those who cannot see it.
struct Chart {
    /// The width of drawings in a report, in CSS pixels. A narrower screen scrolls sideways, since
    /// smaller text would be unreadable, unless the drawing has a narrow form.
    static let width = 720.0
    /// The width of a narrow form, for a screen of 400 CSS pixels.
    static let narrowWidth = 352.0

    var title: String
    /// What the drawing shows, in words and numbers.
    var summary: String
    var width = Chart.width
    var height: Double
    var marks: [Markup]

    var markup: Markup {
        let drawing = Markup.element(
            "svg",
            [
                "role": "img", "viewBox": "0 0 \(place(width)) \(place(height))",
                "style": "width: \(place(width))px",
            ],
            [.element("title", title), .element("desc", summary)] + marks)
        return .element("div", ["class": "drawing"], [drawing])
    }

    /// A drawing in both widths, of which the style sheet shows the one that fits the screen.
    ///
    /// - Parameter draw: Draws in a width.
    static func inBothWidths(_ draw: (Double) -> Chart) -> Markup {
        .sequence([
            .element("div", ["class": "wide"], [draw(width).markup]),
            .element("div", ["class": "narrow"], [draw(narrowWidth).markup]),
        ])
    }
}

/// Formats a coordinate: a tenth of a pixel is finer than any screen.
func place(_ value: Double) -> String {
    let text = fixed(value, 1)
    guard text.contains(".") else { return text }
    let short = text.replacing(/\.?0+$/, with: "")
    return short == "-0" ? "0" : short
}

/// Where something is in a drawing; y grows downwards.
struct Point: Hashable {
    var x: Double
    var y: Double
}

/// The rectangle between the axes.
struct Frame {
    var left: Double
    var top: Double
    var right: Double
    var bottom: Double

    var width: Double { right - left }
    var height: Double { bottom - top }
}
