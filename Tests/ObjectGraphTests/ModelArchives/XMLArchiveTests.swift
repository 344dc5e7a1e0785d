import Foundation
import TestSupport
import Testing

@testable import ObjectGraph

/// Compiled models that other tools have written as text.
@Suite struct `Keyed archives in XML (§1.14)` {
    private let files = ModelFolder()

    private static let declaration =
        #"<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">"#

    private func document(_ list: String, type: String = Self.declaration) -> String {
        """
        <?xml version="1.0" encoding="UTF-8"?>
        \(type)
        <plist version="1.0">\(list)</plist>
        """
    }

    private func read(_ text: String) throws -> ManagedObjectModel {
        try ManagedObjectModel(contentsOf: files.write(text, to: "Model.mom"))
    }

    /// The archive as text, object by object.
    private func text(_ list: BinaryPropertyList, _ index: Int) throws -> String {
        func all(_ indexes: [Int]) throws -> String {
            try indexes.map { try text(list, $0) }.joined(separator: "\n")
        }
        return switch try list.object(at: index) {
        case .null: ""
        case .boolean(let value): "<\(value)/>"
        case .integer(let value): "<integer>\(value)</integer>"
        case .unsigned(let value): "<integer>\(value)</integer>"
        case .real(let value): "<real>\(value)</real>"
        case .date(let value): "<date>\(value.ISO8601Format())</date>"
        case .data(let value): "<data>\n\(value.base64EncodedString())\n</data>"
        case .string(let value):
            "<string>\(value.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing("\r", with: "&#13;"))</string>"
        case .uid(let number):
            "<dict><key>CF$UID</key><integer>\(number)</integer></dict>"
        case .array(let elements), .set(let elements): "<array>\(try all(elements))</array>"
        case .dictionary(let keys, let values):
            "<dict>"
                + (try zip(keys, values).map { key, value in
                    try text(list, key).replacing("string>", with: "key>") + text(list, value)
                }.joined()) + "</dict>"
        }
    }

    @Test func `a compiled model in XML is one (§1.14.12)`() throws {
        let archive = ModelArchiveWriter.archive(try makeModelOfAllFeatures())
        let list = try BinaryPropertyList(archive)
        let found = try read(document(text(list, list.rootIndex)))
        let binary = try ManagedObjectModel(contentsOf: files.write(archive, to: "Binary.mom"))
        #expect(found.differences(from: binary).isEmpty)
        #expect(try found.xcdatamodelContents() == binary.xcdatamodelContents())
    }

    @Test(arguments: [
        "<dict><key>$top</key></dict>", "<dict><integer>1</integer><integer>1</integer></dict>",
        "<dict><key>a</key><real>x</real></dict>", "<dict><key>a</key><unknown/></dict>",
        "<dict><key>a</key><dict><key>CF$UID</key><integer>-1</integer></dict></dict>",
        "<dict><key>$archiver</key><string>NSKeyedArchiver</string></dict>", "<array/>", "",
        String(repeating: "<array>", count: 200) + String(repeating: "</array>", count: 200),
    ])
    func `a damaged list is an error (§1.14.7)`(_ list: String) throws {
        let error = #expect(throws: ModelFileError.self) { try read(document(list)) }
        guard case .archive? = error?.reason else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(error?.file?.lastPathComponent == "Model.mom")
    }

    @Test(arguments: [
        #"<!DOCTYPE plist [<!ENTITY a "b">]>"#,
        #"<!DOCTYPE plist SYSTEM "x" [<!ENTITY a SYSTEM "file:///etc/passwd">]>"#,
        #"<!DOCTYPE other SYSTEM "x">"#,
    ])
    func `a document type of its own is refused (§1.14.12)`(_ type: String) throws {
        let error = #expect(throws: ModelFileError.self) { try read(document("", type: type)) }
        #expect(error?.reason == .archive(.notAnArchive))
    }
}
