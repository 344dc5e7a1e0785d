import Foundation
import FoundationXML

/// An element of a model file.
struct ModelElement {
    let name: String
    let attributes: [String: String]

    /// The line on which the start tag ends, counted from 1.
    let line: Int
    var children: [ModelElement] = []

    /// The text in the element, without that of its children; empty unless it was asked for.
    var content = ""

    subscript(attribute: String) -> String? { attributes[attribute] }

    func children(named name: String) -> [ModelElement] { children.filter { $0.name == name } }
}

// MARK: - Attributes

extension ModelElement {
    func text(_ attribute: String) throws(ModelFileError) -> String {
        guard let text = self[attribute] else {
            throw ModelFileError(.missingAttribute(attribute, element: name), line: line)
        }
        return text
    }

    /// The text of an attribute; nil if it is absent or empty.
    func nonemptyText(_ attribute: String) -> String? {
        self[attribute].flatMap { $0.isEmpty ? nil : $0 }
    }

    func flag(_ attribute: String, default absent: Bool = false) throws(ModelFileError) -> Bool {
        try choice(attribute, Self.flags, default: absent)
    }

    private static let flags = ["YES": true, "NO": false]

    func choice<Value>(
        _ attribute: String, _ values: [String: Value], default absent: Value
    ) throws(ModelFileError) -> Value {
        guard let text = self[attribute] else { return absent }
        guard let value = values[text] else {
            throw unacceptable(
                text, attribute, "one of \(values.keys.sorted().joined(separator: ", "))")
        }
        return value
    }

    /// A number that is not negative.
    func count(_ attribute: String) throws(ModelFileError) -> Int? {
        guard let value = self[attribute] else { return nil }
        guard let number = Int(value), number >= 0 else {
            throw unacceptable(value, attribute, "a number, 0 or more")
        }
        return number
    }

    func unacceptable(
        _ value: String, _ attribute: String, _ expected: String
    ) -> ModelFileError {
        ModelFileError(
            .unacceptableValue(value, attribute: attribute, expected: expected), line: line)
    }
}

// MARK: - Parsing

extension ModelElement {
    /// The most levels of elements. Models have up to ten. Swift releases a tree level by level on
    /// the stack, so a file of any depth would end the process.
    static let maximumDepth = PropertyList.maximumDepth

    /// Parses XML and returns the root element.
    ///
    /// libxml2 parses more than a model needs. Checks before it make sure that no entity can be
    /// expanded: the text is UTF-8 and declares nothing else, it has no byte 0, which UTF-16 would
    /// have, and it does not declare a document type.
    ///
    /// - Parameter keepsTexts: Whether elements have the text that is in them.
    init(xml data: Data, keepsTexts: Bool = false) throws(ModelFileError) {
        guard let text = String(validating: data, as: UTF8.self), !text.utf8.contains(0),
            Self.declaresUTF8(text)
        else { throw ModelFileError(.notUTF8) }
        for declaration in ["<!DOCTYPE", "<!ENTITY"] {
            if let range = data.range(of: Data(declaration.utf8)) {
                throw ModelFileError(
                    .documentType, line: 1 + data[..<range.lowerBound].count { $0 == 10 })
            }
        }
        let builder = ModelElementBuilder(keepsTexts: keepsTexts)
        let parser = XMLParser(data: data)
        parser.delegate = builder
        // The result is true for some texts that are not well-formed, such as one cut off.
        _ = parser.parse()
        if let error = builder.error { throw error }
        guard let root = builder.root else { throw ModelFileError(.notAModel("it is empty")) }
        self = root
    }

    /// Whether the text's XML declaration names UTF-8 or no encoding.
    private static func declaresUTF8(_ text: String) -> Bool {
        let declaration = /\u{FEFF}?<\?xml[^>]*?\sencoding\s*=\s*["']([^"'>]*)/
        guard let encoding = text.prefixMatch(of: declaration)?.output.1 else { return true }
        return encoding.uppercased() == "UTF-8"
    }
}

private final class ModelElementBuilder: NSObject, XMLParserDelegate {
    private(set) var root: ModelElement?

    /// The first error. Later ones follow from it.
    private(set) var error: ModelFileError?

    /// The path from the root to the element that is being read.
    private var open: [ModelElement] = []
    private let keepsTexts: Bool

    init(keepsTexts: Bool) { self.keepsTexts = keepsTexts }

    func parser(
        _ parser: XMLParser, didStartElement elementName: String, namespaceURI: String?,
        qualifiedName qName: String?, attributes attributeDict: [String: String]
    ) {
        guard error == nil else { return }
        guard open.count < ModelElement.maximumDepth else {
            error = ModelFileError(
                .tooDeep(limit: ModelElement.maximumDepth), line: parser.lineNumber)
            return parser.abortParsing()
        }
        open.append(
            ModelElement(name: elementName, attributes: attributeDict, line: parser.lineNumber))
    }

    func parser(
        _ parser: XMLParser, didEndElement elementName: String, namespaceURI: String?,
        qualifiedName qName: String?
    ) {
        guard let element = open.popLast() else { return }
        if open.isEmpty {
            root = element
        } else {
            open[open.count - 1].children.append(element)
        }
    }

    func parser(_ parser: XMLParser, foundCharacters string: String) {
        guard keepsTexts, !open.isEmpty else { return }
        open[open.count - 1].content += string
    }

    func parser(_ parser: XMLParser, parseErrorOccurred parseError: any Error) {
        guard error == nil else { return }
        let (code, column) = ((parseError as NSError).code, parser.columnNumber)
        error = ModelFileError(
            .malformed("it is not well-formed XML at column \(column) (libxml2 error \(code))"),
            line: parser.lineNumber)
        parser.abortParsing()
    }
}
