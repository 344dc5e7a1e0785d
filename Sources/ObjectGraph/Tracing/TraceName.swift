import Synchronization

/// The number of a text, so that an event needs no memory of its own.
///
/// The texts stay until the process ends: entities, statements without their values, contexts and
/// connections that were traced.
public struct TraceName: Sendable, Hashable, BitwiseCopyable {
    public let number: UInt32

    public static let none = TraceName(number: 0)

    /// The name of blocks on the main queue.
    public static let mainQueue = TraceName(number: 1)

    /// The text; empty for ``none``.
    public var text: String { Self.texts.withLock { $0.list[Int(number)] } }

    /// Of a statement: its first word and the first table that it names, nil if there is none.
    public var statementSummary: (operation: String, table: String?) {
        let words = text.split { " ()\n".contains($0) }
        let table = zip(words, words.dropFirst()).first { word, next in
            ["FROM", "INTO", "UPDATE", "COPY"].contains(word) && next != "SELECT"
        }?.1
        return (words.first.map(String.init) ?? "", table.map { $0.filter { $0 != "\"" } })
    }

    /// The number of a text. Equal texts have the same number. Cost: a lock and a look-up.
    public init(_ text: String) {
        self = Self.texts.withLock { $0.number(of: text) }
    }

    /// A new number, although other things may have the same text.
    static func unique(_ text: String) -> TraceName {
        texts.withLock { $0.append(text) }
    }

    private init(number: UInt32) { self.number = number }

    private struct Texts {
        var list = ["", "main queue"]
        var numbers: [String: UInt32] = ["": 0, "main queue": 1]

        mutating func number(of text: String) -> TraceName {
            if let number = numbers[text] { return TraceName(number: number) }
            let name = append(text)
            numbers[text] = name.number
            return name
        }

        mutating func append(_ text: String) -> TraceName {
            list.append(text)
            return TraceName(number: UInt32(list.count - 1))
        }
    }

    private static let texts = Mutex(Texts())
}

/// The number of a thing that gets one when it is first traced.
struct LazyTraceName: ~Copyable {
    private let number = Atomic<UInt32>(0)

    func get(_ make: () -> TraceName) -> TraceName {
        let known = number.load(ordering: .relaxed)
        if known != 0 { return TraceName(known: known) }
        let name = make()
        let (exchanged, original) = number.compareExchange(
            expected: 0, desired: name.number, ordering: .relaxed)
        return exchanged ? name : TraceName(known: original)
    }
}

extension TraceName {
    fileprivate init(known number: UInt32) { self.number = number }
}
