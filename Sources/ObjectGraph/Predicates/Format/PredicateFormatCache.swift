import Synchronization

/// The formats that were parsed, so that a look-up with another value parses nothing.
final class PredicateFormatCache: Sendable {
    static let shared = PredicateFormatCache()

    private static let capacity = 256
    private static let maximumLength = 500

    /// Equal strings may differ in their bytes, and so may the values within their text.
    private struct Entry {
        let format: String
        let template: PredicateTemplate
    }

    private let templates = Mutex<[String: Entry]>([:])

    /// - Throws: The error of parsing. Errors are not kept.
    func predicate(
        _ format: String, _ arguments: [(any PredicateArgument)?]
    ) throws(PredicateFormatError) -> ObjectPredicate {
        // Outside the lock, because an argument may be of a type that the program defines.
        let known = templates.withLock { $0[format] }.flatMap { entry in
            entry.format.utf8.elementsEqual(format.utf8) ? entry.template : nil
        }
        if let predicate = known?.predicate(with: arguments) { return predicate }
        let parsed = try PredicateParser.parse(format, arguments)
        if known == nil, let template = parsed.template, format.utf8.count <= Self.maximumLength {
            templates.withLock { templates in
                // Formats that a program writes number a few dozen. More are made by the program.
                if templates.count == Self.capacity { templates = [:] }
                templates[format] = Entry(format: format, template: template)
            }
        }
        return parsed.predicate
    }
}
