import Foundation
import FoundationXML
import RunRecords
import TestSupport
import Testing

#if canImport(FoundationXML)
#endif

@Suite struct `report.html` {
    private static func pages() throws -> [String] {
        let directory = try TemporaryRuns.directory()
        defer { TemporaryRuns.remove(directory) }
        var pages: [String] = []
        for run in [SampleRun.full, SampleRun.run([])] {
            try directory.writeReports(of: run)
            pages.append(try String(contentsOf: directory.reportURL, encoding: .utf8))
        }
        try directory.writeReports(of: SampleComparison.full)
        return pages + [try String(contentsOf: directory.reportURL, encoding: .utf8)]
    }

    @Test func `is well-formed, and links lead somewhere`() throws {
        for page in try Self.pages() {
            let document = try Document(page)
            #expect(!document.identifiers.isEmpty)
            let targets = document.values(of: "href").map { String($0.dropFirst()) }
            #expect(Set(targets).isSubset(of: document.identifiers))
        }
    }

    @Test func `needs no other file, no network and no script`() throws {
        for page in try Self.pages() {
            let document = try Document(page)
            #expect(!document.elements.contains("script"))
            #expect(!document.elements.contains("link"))
            #expect(!document.elements.contains("img"))
            #expect(document.values(of: "href").allSatisfy { $0.hasPrefix("#") })
            #expect(document.values(of: "src").isEmpty)
            #expect(!page.contains("http://") && !page.contains("https://"))
            #expect(!page.contains("@import"))
        }
    }

    @Test func `no code breaks at a hyphen`() throws {
        for page in try Self.pages() {
            #expect(page.contains("code span { white-space: nowrap; }"))
            let codes = page.matches(of: /<code>(.*?)<\/code>/).map(\.1)
            #expect(!codes.isEmpty)
            for code in codes {
                let breakable = code.replacing(/<span>[^<]*<\/span>/, with: "")
                #expect(!breakable.contains("-"), "\(code)")
            }
        }
    }

    @Test func `every drawing says in words what it shows`() throws {
        let document = try Document(Self.pages()[0])
        // The bars of a forest plot are between their names and verdicts.
        let bars = document.values(of: "aria-hidden").count
        let drawings = document.elements.count { $0 == "svg" } - bars
        #expect(bars >= 10 && drawings >= 3)
        #expect(document.values(of: "role").count == drawings)
        #expect(document.elements.count { $0 == "desc" } == drawings)
    }

    @Test func `no coordinate is missing or not a number`() throws {
        for page in try Self.pages() {
            #expect(!page.contains("nan") && !page.contains("inf\""))
        }
    }

    @Test func `names cannot smuggle markup in`() throws {
        let hostile = "</style><script>alert(\"1\")</script>&amp;\u{1}"
        var cell = SampleRun.cell(hostile, [1, 1, 1, 1, 1], parameters: [hostile: hostile])
        cell.failure = hostile
        let workload = WorkloadResult(
            name: hostile, title: hostile, kind: "import", reference: hostile,
            notes: [hostile],
            cells: [cell, SampleRun.cell(hostile, [1, 2, 3, 4, 5]), SampleRun.cell("b", [1])])
        let directory = try TemporaryRuns.directory()
        defer { TemporaryRuns.remove(directory) }

        try directory.writeReports(of: SampleRun.run([workload]))

        let page = try String(contentsOf: directory.reportURL, encoding: .utf8)
        #expect(try !Document(page).elements.contains("script"))
        let junit = directory.url.appendingPathComponent("junit.xml")
        _ = try Document(String(contentsOf: junit, encoding: .utf8))
    }

    /// WCAG 2.2, 1.4.3 requires 4.5 for text.
    @Test func `text has contrast in light and in dark`() throws {
        let styles = try Self.pages()[1].split(separator: "@media (prefers-color-scheme: dark)")
            .prefix(2)
        for style in styles {
            let colours = Dictionary(
                style.matches(of: /--([a-z0-9]+): (#[0-9a-f]{6})/).map {
                    (String($0.1), String($0.2))
                },
                uniquingKeysWith: { first, _ in first })
            for text in ["ink", "muted", "good", "bad", "warn"] + (0..<8).map({ "c\($0)" }) {
                for ground in ["paper", "panel"] {
                    let pair = [try #require(colours[text]), try #require(colours[ground])]
                    let light = pair.map(Self.luminance).sorted()
                    #expect((light[1] + 0.05) / (light[0] + 0.05) >= 4.5, "\(text) on \(ground)")
                }
            }
        }
    }

    private static func luminance(_ colour: String) -> Double {
        let number = Int(colour.dropFirst(), radix: 16) ?? 0
        func part(_ shift: Int) -> Double {
            let value = Double((number >> shift) & 0xFF) / 255
            return value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4)
        }
        return 0.2126 * part(16) + 0.7152 * part(8) + 0.0722 * part(0)
    }

    @Test func `a large run stays under 2 MB`() throws {
        let directory = try TemporaryRuns.directory()
        defer { TemporaryRuns.remove(directory) }
        var run = SampleRun.full
        for copy in 1..<15 {
            run.workloads += SampleRun.full.workloads.prefix(3).map { workload in
                var workload = workload
                workload.name += "-\(copy)"
                return workload
            }
        }

        try directory.writeReports(of: run)

        #expect(try Data(contentsOf: directory.reportURL).count < 2_000_000)
    }
}

/// The elements and attributes of an XML document, in order.
final class Document: NSObject, XMLParserDelegate {
    private(set) var elements: [String] = []
    private(set) var attributes: [(name: String, value: String)] = []

    /// - Throws: if the text is not well-formed.
    init(_ text: String) throws {
        super.init()
        // HTML's named entities are not defined in XML; none are used.
        let parser = XMLParser(data: Data(text.utf8))
        parser.delegate = self
        guard parser.parse() else {
            throw NotWellFormed(
                line: parser.lineNumber,
                reason: "\(parser.parserError.map(String.init(describing:)) ?? "")")
        }
    }

    struct NotWellFormed: Error {
        var line: Int
        var reason: String
    }

    func values(of attribute: String) -> [String] {
        attributes.filter { $0.name == attribute }.map(\.value)
    }

    var identifiers: Set<String> { Set(values(of: "id")) }

    func parser(
        _ parser: XMLParser, didStartElement elementName: String, namespaceURI: String?,
        qualifiedName: String?, attributes attributeDict: [String: String]
    ) {
        elements.append(elementName)
        attributes += attributeDict.map { ($0.key, $0.value) }
    }
}
