import Foundation

@testable import ObjectGraph

/// A part of a keyed archive that a test describes, valid or not.
indirect enum ArchivedPart: Sendable {
    /// A reference to nothing.
    case null
    /// A value without a class.
    case value(BinaryPropertyList.Object)
    case node(String, [(String, ArchivedPart)])
    /// An object that others refer to by a label.
    case labelled(String, ArchivedPart)
    case reference(String)

    static func text(_ text: String) -> Self { .value(.string(text)) }

    /// A string in an object of its own, as Core Data writes some.
    static func mutableText(_ text: String) -> Self {
        .node("NSMutableString", [("NS.string", .text(text))])
    }

    static func list(_ parts: [ArchivedPart], _ className: String = "NSArray") -> Self {
        .node(className, [("NS.objects", .parts(parts))])
    }

    static func texts(_ texts: String...) -> Self { list(texts.map { .text($0) }) }

    static func dictionary(_ entries: [(String, ArchivedPart)]) -> Self {
        .node(
            "NSMutableDictionary",
            [
                ("NS.keys", .parts(entries.map { .text($0.0) })),
                ("NS.objects", .parts(entries.map(\.1))),
            ])
    }

    /// The array of references within a list.
    case parts([ArchivedPart])
}

extension ArchivedPart: ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral,
    ExpressibleByStringLiteral, ExpressibleByFloatLiteral
{
    init(integerLiteral value: Int64) { self = .value(.integer(value)) }
    init(booleanLiteral value: Bool) { self = .value(.boolean(value)) }
    init(stringLiteral value: String) { self = .text(value) }
    init(floatLiteral value: Double) { self = .value(.real(value)) }
}

extension ArchivedPart {
    /// The bytes of an archive with this root.
    func archived() -> Data {
        var archive = HandmadeArchive()
        var labels: [String: (place: Int, reference: Int)] = [:]
        let root = add(to: &archive, &labels)
        return archive.data(root: root)
    }

    /// The index of a reference to the part.
    private func add(
        to archive: inout HandmadeArchive,
        _ labels: inout [String: (place: Int, reference: Int)]
    ) -> Int {
        switch self {
        case .null: return archive.add(.uid(0))
        case .value(let value): return archive.reference(to: archive.add(value))
        case .parts(let parts):
            let references = parts.map { $0.add(to: &archive, &labels) }
            return archive.add(.array(references))
        case .node(let className, let fields):
            return archive.node(
                className, fields: fields.map { ($0.0, $0.1.add(to: &archive, &labels)) })
        case .labelled(let label, let part):
            let place = Self.place(label, &archive, &labels).place
            let reference = part.add(to: &archive, &labels)
            archive.objects[place] = archive.target(of: reference)
            return labels[label]!.reference
        case .reference(let label):
            return Self.place(label, &archive, &labels).reference
        }
    }

    private static func place(
        _ label: String, _ archive: inout HandmadeArchive,
        _ labels: inout [String: (place: Int, reference: Int)]
    ) -> (place: Int, reference: Int) {
        if let place = labels[label] { return place }
        let place = archive.add(.null)
        labels[label] = (place, archive.reference(to: place))
        return labels[label]!
    }
}
