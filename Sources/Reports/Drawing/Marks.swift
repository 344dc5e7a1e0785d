import Measuring
import RunRecords

/// The parts of drawings. The class of a mark selects its look in the style sheet.
enum Mark {
    static func line(from start: Point, to end: Point, _ style: String) -> Markup {
        .element(
            "line",
            [
                "class": style, "x1": place(start.x), "y1": place(start.y), "x2": place(end.x),
                "y2": place(end.y),
            ])
    }

    /// A line through the points, in order; nothing for fewer than two points.
    static func path(_ points: [Point], _ style: String) -> Markup {
        guard points.count > 1 else { return .nothing }
        return .element("path", ["class": style, "d": outline(points)])
    }

    /// The area between two lines with the same x coordinates; nothing for fewer than two points.
    static func band(lower: [Point], upper: [Point], _ style: String) -> Markup {
        guard lower.count > 1, upper.count > 1 else { return .nothing }
        return .element("path", ["class": style, "d": outline(upper + lower.reversed()) + "Z"])
    }

    static func rectangle(_ frame: Frame, _ style: String, title: String? = nil) -> Markup {
        .element(
            "rect",
            [
                "class": style, "x": place(frame.left), "y": place(frame.top),
                "width": place(max(frame.width, 0)), "height": place(max(frame.height, 0)),
            ], tooltip(title))
    }

    static func dot(
        _ point: Point, radius: Double, _ style: String, title: String? = nil
    ) -> Markup {
        .element(
            "circle",
            [
                "class": style, "cx": place(point.x), "cy": place(point.y), "r": place(radius),
            ], tooltip(title))
    }

    static func text(
        _ text: String, at point: Point, _ anchor: Anchor = .start, _ style: String = "label"
    ) -> Markup {
        // `start` is the default of SVG; the other anchors are classes of the style sheet.
        .element(
            "text",
            [
                "class": anchor == .start ? style : "\(style) \(anchor.rawValue)",
                "x": place(point.x), "y": place(point.y),
            ], text)
    }

    /// Which part of a text is at its point.
    enum Anchor: String {
        case start, middle, end
    }

    private static func tooltip(_ title: String?) -> [Markup] {
        title.map { [.element("title", $0)] } ?? []
    }

    private static func outline(_ points: [Point]) -> String {
        "M" + points.map { "\(place($0.x)) \(place($0.y))" }.joined(separator: "L")
    }
}

/// The approximate width of a text at the size of labels. There are no font metrics here; the
/// factors are those of bold wide system fonts, so that texts have room to spare.
func labelWidth(_ text: String, size: Double = 12) -> Double {
    text.reduce(0) { width, character in
        let isNarrow = "il.,:;'|!()[] ".contains(character)
        let isWide = character.isUppercase || "mw÷×%–".contains(character)
        return width + size * (isNarrow ? 0.4 : isWide ? 0.8 : 0.65)
    }
}

/// Moves places apart, within the bounds and as little as possible, until each has `gap` to the
/// next. Keeps their order.
func spread(_ places: [Double], gap: Double, within bounds: ClosedRange<Double>) -> [Double] {
    let order = places.indices.sorted { (places[$0], $0) < (places[$1], $1) }
    var result = places
    var lowest = bounds.lowerBound
    for index in order {
        result[index] = max(result[index], lowest)
        lowest = result[index] + gap
    }
    var highest = bounds.upperBound
    for index in order.reversed() {
        result[index] = min(result[index], highest)
        highest = result[index] - gap
    }
    return result
}
