import ObjectGraph

/// A change of rows by a migration that does not follow from the models.
///
/// Without any, each property has the values of the property with its name or renaming identifier
/// in the version before, and so on back to the snapshot; one that is new has its default value; and
/// what no property takes over counts as lost.
///
///     let expectations: [MigrationExpectation] = [
///         .value(of: "Song.title", .computed("uppercase:(title)"), before: "1.4"),
///         .rows(of: "Address", from: ["Person"], where: "street != nil", before: "2.0"),
///         .removed("Person.fax", before: "1.2"),
///     ]
///
/// `before` is the version that made the change: the expectation holds for snapshots of earlier
/// versions. Of several for the same property, the one with the earliest such version holds, so it
/// describes the whole way to the newest model. Those for an entity hold for its subentities too,
/// and those for a composite attribute for its elements.
public struct MigrationExpectation: Sendable, Hashable {
    enum Subject: Sendable, Hashable {
        case value(ValueRule)
        case rows(of: [String], condition: String?)
        case ignoredRows
        case removed
    }

    /// The entity: in the newest model, or in the snapshot if it is removed.
    let entity: String

    /// The key path of the property; nil if the rows as a whole are meant.
    let property: String?
    let subject: Subject

    /// The version that made the change; nil means that all snapshots are from before.
    let version: String?

    private init(_ path: String, _ subject: Subject, _ version: String?) {
        let parts = path.split(separator: ".", maxSplits: 1)
        entity = parts.first.map(String.init) ?? ""
        property = parts.count > 1 ? String(parts[1]) : nil
        self.subject = subject
        self.version = version
    }

    /// The values of a property.
    ///
    /// - Parameters:
    ///   - property: The entity and the property of the newest model: `Song.title`,
    ///     `Person.address` for all elements of a composite attribute, or `Person.address.city`.
    ///   - rule: Where the values come from.
    ///   - version: The version that made the change; nil if all snapshots are from before.
    public static func value(
        of property: String, _ rule: ValueRule, before version: String? = nil
    ) -> Self {
        Self(property, .value(rule), version)
    }

    /// Which rows an entity has: one for each row of these entities of the snapshot, without
    /// subentities. Their properties correspond by name unless another expectation says otherwise.
    ///
    /// - Parameters:
    ///   - entity: The entity of the newest model.
    ///   - sources: The entities of the snapshot; none if the entity has no rows at first.
    ///   - condition: The format of a predicate for rows of the snapshot; nil means all rows.
    ///   - version: The version that made the change; nil if all snapshots are from before.
    public static func rows(
        of entity: String, from sources: [String], where condition: String? = nil,
        before version: String? = nil
    ) -> Self {
        Self(entity, .rows(of: sources, condition: condition), version)
    }

    /// An entity or a property of the newest model that is not compared: `Song`, `Song.playCount`.
    public static func ignored(_ name: String, before version: String? = nil) -> Self {
        Self(name, name.contains(".") ? .value(.ignored) : .ignoredRows, version)
    }

    /// An entity or a property that the version has removed on purpose, by its old name: `Person`,
    /// `Person.fax`.
    public static func removed(_ name: String, before version: String? = nil) -> Self {
        Self(name, .removed, version)
    }
}

extension MigrationExpectation {
    /// Whether the expectation holds for a snapshot of a version.
    func holds(for snapshot: String) -> Bool {
        version.map { snapshot.isVersion(before: $0) } ?? true
    }

    /// The entities of snapshots that it names, and their properties.
    var formerNames: [(entity: String?, property: String?)] {
        switch subject {
        case .removed: [(entity, property)]
        case .rows(let names, _): names.map { ($0, nil) }
        case .value(.same(let path)): path == StoreContents.itself ? [] : [(nil, path)]
        case .value, .ignoredRows: []
        }
    }
}

/// The values of a property after a migration.
public enum ValueRule: Sendable, Hashable {
    /// Those of a property of the snapshot's row: a name, or a key path to an element of a composite
    /// attribute. For a relationship, `SELF` means the objects that come from the same row, as when
    /// an entity is split.
    case same(as: String)
    /// Those of an expression on the snapshot's row, such as `uppercase:(title)` (spec §7.5).
    case computed(String)
    /// The same for all rows.
    case constant(AttributeValue)
    /// Any for which this predicate on the migrated row holds, such as `title BEGINSWITH "A"`.
    case satisfies(String)
    /// Any.
    case ignored
}
