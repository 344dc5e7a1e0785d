import Measuring
import RunRecords

/// `report.html`: one file that needs no network, no script and no other file.
struct Page {
    var title: String
    var banner: [Markup]
    /// In reading order; sections without content are left out.
    var sections: [Section]

    struct Section {
        /// The target of links.
        var anchor: String
        var title: String
        var content: [Markup]
    }

    var source: String {
        let shown = sections.filter { !$0.content.isEmpty }
        let head = Markup.element(
            "head", [:],
            [
                .element("meta", ["charset": "utf-8"]),
                .element(
                    "meta",
                    ["name": "viewport", "content": "width=device-width, initial-scale=1"]),
                // The page may load and run nothing, whatever a name in the report contains.
                .element(
                    "meta",
                    [
                        "http-equiv": "Content-Security-Policy",
                        "content": "default-src 'none'; style-src 'unsafe-inline'",
                    ]),
                .element("meta", ["name": "color-scheme", "content": "light dark"]),
                .element("title", [:], title), .element("style", [:], Stylesheet.text),
            ])
        let links = shown.map { section in
            Markup.element(
                "li", [:],
                [.element("a", ["href": "#\(section.anchor)"], section.title)])
        }
        let navigation = Markup.element("nav", [:], [.element("ul", [:], links)])
        let body = Markup.element(
            "body", [:],
            [.element("header", [:], banner), navigation]
                + [.element("main", [:], shown.map(\.markup))])
        let page = Markup.element("html", ["lang": "en"], [head, body])
        return "<!DOCTYPE html>\n\(page.source)\n"
    }
}

extension Page {
    /// The top of a page: where it comes from, its headline, and a box with what was found.
    ///
    /// - Parameter style: The class of the box beside `banner`; empty for none.
    static func banner(
        _ origin: String, headline: String, style: String, _ content: [Markup]
    ) -> [Markup] {
        [
            .paragraph(escaped(origin), class: "eyebrow"),
            .element("h1", [:], [InlineText(markdown: headline).markup]),
            .element("div", ["class": style.isEmpty ? "banner" : "banner \(style)"], content),
        ]
    }
}

extension Page.Section {
    static func guide(_ sentences: [String]) -> Self {
        Self(
            anchor: "guide", title: "How to read this",
            content: [.list(sentences.map { ($0, []) }, class: "advice")])
    }

    fileprivate var markup: Markup {
        .element("section", ["id": anchor], [.element("h2", [:], title)] + content)
    }
}

extension Markup {
    static func paragraph(_ markdown: String, class style: String = "") -> Markup {
        .element(
            "p", style.isEmpty ? [:] : ["class": style], [InlineText(markdown: markdown).markup])
    }

    /// Breaks lines at its spaces, and not at a hyphen. A word that is wider than a phone breaks
    /// anywhere.
    static func code(_ text: String) -> Markup {
        let words = text.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
        let parts = words.flatMap { word in
            [Markup.text(" "), word.count < 40 ? .element("span", [:], word) : .text(word)]
        }
        return .element("code", [:], Array(parts.dropFirst()))
    }

    static func heading(_ text: String) -> Markup { .element("h3", [:], text) }

    /// Items that may contain lists of their own.
    static func list(_ items: [(markdown: String, details: [String])], class style: String)
        -> Markup
    {
        .element(
            "ul", ["class": style],
            items.map { item in
                let sentence = Markup.element(
                    "p", [:], [InlineText(markdown: item.markdown).markup])
                let details = item.details.map {
                    Markup.element("li", [:], [InlineText(markdown: $0).markup])
                }
                return .element(
                    "li", [:],
                    details.isEmpty ? [sentence] : [sentence, .element("ul", [:], details)])
            })
    }

    /// A drawing with its explanation.
    static func figure(_ drawing: Markup, _ caption: String) -> Markup {
        .element(
            "figure", [:],
            [.element("figcaption", [:], [InlineText(markdown: caption).markup]), drawing])
    }

    /// Content that is hidden until the reader opens it.
    static func details(_ summary: String, _ content: [Markup]) -> Markup {
        .element("details", [:], [.element("summary", [:], summary)] + content)
    }
}
