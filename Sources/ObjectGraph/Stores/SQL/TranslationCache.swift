import Synchronization

/// The statements of the latest requests. Showing a list again, its next page, or another object by
/// its key needs no new translation.
///
/// The cache has only requests whose SQL does not depend on their constants: without a predicate,
/// or with a few comparisons of numbers, dates and strings, or prefixes of strings that an index
/// serves. Requests that differ only in such constants, the limit or the offset share a statement and
/// differ in its bindings.
package final class TranslationCache: Sendable {
    private static let capacity = 16
    private static let maximumConstantCount = 16

    private struct Entry {
        let request: FetchRequest
        var translation: FetchTranslation

        /// The number of bindings before those of the predicate.
        let firstConstant: Int
    }

    // A search through these few entries costs less than hashing a request.
    private let entries = Mutex<[Entry]>([])

    package init() {}

    /// The translation of a request, made if it is not in the cache.
    ///
    /// - Parameter translate: Must return the same for equal requests of the entity.
    package func translation(
        of request: FetchRequest, entity: Entity,
        _ translate: () throws(FetchError) -> FetchTranslation
    ) throws(FetchError) -> FetchTranslation {
        let known = entries.withLock { entries in
            Self.index(of: request, in: entries).map {
                (translation: entries[$0].translation, first: entries[$0].firstConstant)
            }
        }
        if let known, let constants = request.constants {
            return known.translation.binding(constants, from: known.first)
        }
        let made = try translate()
        guard known == nil, request.comparesAsWritten(in: entity),
            request.constantCount <= min(made.bindings.count, Self.maximumConstantCount),
            let constants = request.constants,
            // A prefix that no index serves is bound in another way.
            made.bindings.suffix(constants.count) == constants[...]
        else { return made }
        let entry = Entry(
            request: request, translation: made,
            firstConstant: made.bindings.count - constants.count)
        entries.withLock { entries in
            if entries.count == Self.capacity { entries.removeFirst() }
            entries.append(entry)
        }
        return made
    }

    /// Replaces the translation of a request, if it is in the cache.
    func replaceTranslation(
        of request: FetchRequest, _ translate: () throws(FetchError) -> FetchTranslation
    ) throws(FetchError) {
        try entries.withLock { entries throws(FetchError) in
            guard let index = Self.index(of: request, in: entries) else { return }
            entries[index].translation = try translate()
        }
    }

    private static func index(of request: FetchRequest, in entries: [Entry]) -> Int? {
        // The buffer's elements are compared in place; the array's would be copied.
        entries.withUnsafeBufferPointer { entries in
            entries.indices.first { entries[$0].request.isTranslated(like: request) }
        }
    }
}

extension FetchRequest {
    /// Whether both select rows with the same SQL, if the predicate compares as written.
    ///
    /// This must compare everything in a request that `FetchTranslation` uses for rows.
    fileprivate func isTranslated(like other: FetchRequest) -> Bool {
        entityName == other.entityName && includesSubentities == other.includesSubentities
            && (fetchLimit > 0) == (other.fetchLimit > 0)
            && (fetchOffset > 0) == (other.fetchOffset > 0) && sortKeys == other.sortKeys
            && predicate.isTranslated(like: other.predicate)
    }

    /// The bindings of the predicate's constants, the limit and the offset, in this order; nil if the
    /// SQL depends on a constant.
    fileprivate var constants: [SQLBinding]? {
        var constants: [SQLBinding] = []
        constants.reserveCapacity(4)
        guard predicate?.appendConstants(to: &constants) ?? true else { return nil }
        if fetchLimit > 0 { constants.append(.integer(Int64(fetchLimit))) }
        if fetchOffset > 0 { constants.append(.integer(Int64(fetchOffset))) }
        return constants
    }

    /// How many `constants` there are, if they are not nil.
    fileprivate var constantCount: Int {
        (predicate?.constantCount ?? 0) + (fetchLimit > 0 ? 1 : 0) + (fetchOffset > 0 ? 1 : 0)
    }

    /// Whether the predicate compares as written, and no sort key has a constant after those of the
    /// predicate.
    fileprivate func comparesAsWritten(in entity: Entity) -> Bool {
        guard let predicate else { return true }
        return predicate.comparesAsWritten(in: entity)
            && sortKeys.allSatisfy { if case .keyPath = $0.expression { true } else { false } }
    }
}

extension ObjectPredicate? {
    /// Whether the SQL of both is the same, if the other predicate compares as written.
    fileprivate func isTranslated(like other: ObjectPredicate?) -> Bool {
        switch (self, other) {
        case (nil, nil): true
        case (let first?, let second?): first.isTranslated(like: second)
        default: false
        }
    }
}

extension ObjectPredicate {
    /// Appends what the numbers, dates and strings in its comparisons are bound as, in their order;
    /// false if there is any other constant.
    fileprivate func appendConstants(to constants: inout [SQLBinding]) -> Bool {
        switch self {
        case .comparison(let comparison):
            guard case .constant(let value) = comparison.right else { return false }
            if comparison.operator == .beginsWith {
                guard let range = value.string.flatMap({ comparison.range(ofPrefix: $0) }) else {
                    return false
                }
                constants += [.text(range.first), .text(range.end)]
                return true
            }
            switch value {
            case .integer, .boolean: break
            // SQLite has no NaN, and the SQL of infinity is another.
            case .double(let number) where number.isFinite: break
            case .date(let date) where date.timeIntervalSinceReferenceDate.isFinite: break
            // Not every database can hold such a text.
            case .string(let text) where !text.utf8.contains(0): break
            default: return false
            }
            constants.append(SQLBinding(value))
            return true
        case .and(let parts), .or(let parts):
            return parts.allSatisfy { $0.appendConstants(to: &constants) }
        case .not(let part): return part.appendConstants(to: &constants)
        case .value, .block: return false
        }
    }

    /// How many constants its comparisons have; a prefix is bound as a range.
    fileprivate var constantCount: Int {
        switch self {
        case .comparison(let comparison): comparison.operator == .beginsWith ? 2 : 1
        case .and(let parts), .or(let parts): parts.reduce(0) { $0 + $1.constantCount }
        case .not(let part): part.constantCount
        case .value, .block: 0
        }
    }

    fileprivate func isTranslated(like other: ObjectPredicate) -> Bool {
        switch (self, other) {
        case (.comparison(let first), .comparison(let second)):
            guard first.operator == second.operator, first.modifier == second.modifier,
                first.options == second.options, first.left == second.left
            else { return false }
            return switch (first.right, second.right) {
            case (.constant(.integer), .constant(.integer)): true
            case (.constant(.string), .constant(.string)): true
            case (.constant(.date), .constant(.date)): true
            case (.constant(.double), .constant(.double)): true
            case (.constant(.boolean), .constant(.boolean)): true
            default: false
            }
        case (.and(let first), .and(let second)), (.or(let first), .or(let second)):
            return first.count == second.count
                && zip(first, second).allSatisfy { $0.isTranslated(like: $1) }
        case (.not(let first), .not(let second)): return first.isTranslated(like: second)
        default: return false
        }
    }

    /// Whether each comparison is of an attribute of the entity with a constant of the attribute's
    /// type. The constants are then bound unchanged, and the SQL does not depend on them.
    fileprivate func comparesAsWritten(in entity: Entity) -> Bool {
        switch self {
        case .comparison(let comparison):
            guard comparison.modifier == .direct,
                comparison.operator == .beginsWith
                    || comparison.operator.rawValue <= Operator.notEqual.rawValue
                        && comparison.options.isEmpty,
                case .keyPath(let name) = comparison.left,
                case .constant(let value) = comparison.right
            else { return false }
            switch (entity.property(at: name)?.attributeType, value) {
            case (.integer16, .integer), (.integer32, .integer), (.integer64, .integer),
                (.string, .string), (.date, .date), (.double, .double), (.boolean, .boolean):
                return true
            default: return false
            }
        case .and(let parts), .or(let parts):
            return parts.allSatisfy { $0.comparesAsWritten(in: entity) }
        case .not(let part): return part.comparesAsWritten(in: entity)
        case .value, .block: return false
        }
    }
}

extension ObjectPredicate.Comparison {
    /// The folded prefix and the text after all that begin with it; nil if it is empty or there is no
    /// such text.
    fileprivate func range(ofPrefix prefix: String) -> (first: String, end: String)? {
        let options = options.effective
        let prefix = options.isEmpty ? prefix : StringFolding.fold(prefix, options)
        guard !prefix.isEmpty, !prefix.utf8.contains(0) else { return nil }
        return prefix.successor.map { (prefix, $0) }
    }
}
