/// An element of a model file that is written, with its attributes in order.
struct PrintedElement {
    private let name: String
    private let attributes: [(name: String, value: String)]
    var children: [PrintedElement] = []

    /// An element with the attributes that have a value.
    ///
    /// - Throws: `ModelFileError.Reason.inexpressible` for a character that XML does not have.
    init(_ name: String, _ attributes: [(String, String?)]) throws(ModelFileError) {
        self.name = name
        self.attributes = attributes.compactMap { name, value in value.map { (name, $0) } }
        for (_, value) in self.attributes {
            if let scalar = value.unicodeScalars.first(where: { !$0.isXML }) {
                let code = String(scalar.value, radix: 16, uppercase: true)
                throw ModelFileError(.inexpressible("the character U+\(code)"))
            }
        }
    }

    /// Adds a list of elements, unless it is empty.
    mutating func append(_ list: PrintedElement) {
        if !list.children.isEmpty { children.append(list) }
    }

    func text() -> String {
        var text = ""
        append(to: &text, indentation: "")
        return text
    }

    private func append(to text: inout String, indentation: String) {
        text += "\(indentation)<\(name)"
        for (name, value) in attributes {
            text += " \(name)=\""
            for scalar in value.unicodeScalars { text.append(escaped: scalar) }
            text += "\""
        }
        guard !children.isEmpty else { return text += "/>\n" }
        text += ">\n"
        for child in children { child.append(to: &text, indentation: indentation + "    ") }
        text += "\(indentation)</\(name)>\n"
    }
}

extension Unicode.Scalar {
    /// Whether XML 1.0 has the character, escaped or not.
    fileprivate var isXML: Bool {
        switch value {
        case 0x9, 0xA, 0xD, 0x20...0xD7FF, 0xE000...0xFFFD, 0x10000...0x10FFFF: true
        default: false
        }
    }
}

extension String {
    /// Appends a character of an attribute's value. A parser would read unescaped tabs and line
    /// breaks as spaces.
    fileprivate mutating func append(escaped scalar: Unicode.Scalar) {
        switch scalar {
        case "&": self += "&amp;"
        case "<": self += "&lt;"
        case ">": self += "&gt;"
        case "\"": self += "&quot;"
        case "\t", "\n", "\r": self += "&#\(scalar.value);"
        default: unicodeScalars.append(scalar)
        }
    }
}
