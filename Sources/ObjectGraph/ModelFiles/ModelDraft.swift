import Foundation

/// A model while it is read from a file or a store: its parts, and what was left out.
struct ModelDraft {
    var entities: [EntityDescription] = []
    var configurations: [String: Set<String>] = [:]
    var templates: [String: FetchRequest] = [:]
    var versionIdentifiers: Set<String> = []

    /// In the order of their lines.
    private(set) var warnings: [ModelWarning] = []

    let file: URL
    private let transformers: [String: ValueTransformer]
    private var classes: ModelClasses

    init(of file: URL, classes: [AnyClass], transformers: [ValueTransformer]) {
        self.file = file
        self.classes = ModelClasses(classes)
        self.transformers = Dictionary(transformers.map { ($0.name, $0) }) { first, _ in first }
    }

    mutating func warn(
        _ reason: ModelWarning.Reason, _ entity: String?, _ property: String? = nil,
        line: Int? = nil
    ) {
        warnings.append(ModelWarning(entity, property, reason, file: file, line: line))
    }

    /// Removes inverses that do not exist and orders of to-one relationships, and completes the
    /// warnings.
    ///
    /// - Parameter line: The line of a relationship of an entity; nil without lines.
    mutating func finish(line: (_ relationship: String, _ entity: String) -> Int?) {
        ignoreOrderOfToOnes(line)
        dropDanglingInverses(line)
        for name in classes.unused { warn(.unusedClass(name), nil) }
        warnings.sort { $0.line ?? 0 < $1.line ?? 0 }
    }

    /// Names the class in the file, and finds it among those of the program.
    mutating func setClass(named name: String?, of entity: inout EntityDescription) {
        entity.managedObjectClassName = name
        entity.managedObjectClass = classes.find(name, entity: entity.name)
    }

    /// Core Data's names of its own transformers for keyed archives.
    private static let namesOfPropertyList: Set<String> = [
        "NSSecureUnarchiveFromData", "NSSecureUnarchiveFromDataTransformer",
        "NSKeyedUnarchiveFromData",
    ]

    /// The transformer of an attribute; nil if the file names none.
    ///
    /// Without the program's transformer, values are stored data: they cannot be misread, and
    /// writing them changes nothing.
    mutating func transformer(
        named name: String?, _ entity: String, _ attribute: String, line: Int? = nil
    ) -> ValueTransformer? {
        guard let name else { return nil }
        if let transformer = transformers[name] { return transformer }
        if Self.namesOfPropertyList.contains(name) { return .propertyList }
        warn(.unknownTransformer(name), entity, attribute, line: line)
        return ValueTransformer(name, of: Data.self, transform: { $0 }, reverse: { $0 })
    }

    /// The editor keeps the mark when a relationship becomes to-one, where it means nothing.
    private mutating func ignoreOrderOfToOnes(_ line: (String, String) -> Int?) {
        for index in entities.indices {
            for position in entities[index].relationships.indices {
                let relationship = entities[index].relationships[position]
                guard relationship.isOrdered, !relationship.isToMany else { continue }
                entities[index].relationships[position].isOrdered = false
                let entity = entities[index].name
                warn(
                    .orderedToOne, entity, relationship.name,
                    line: line(relationship.name, entity))
            }
        }
    }

    /// A relationship inherits to subentities, so an inverse may be declared by an ancestor of the
    /// destination.
    private mutating func dropDanglingInverses(_ line: (String, String) -> Int?) {
        let indexes = Dictionary(entities.indices.map { (entities[$0].name, $0) }) { $1 }
        let names = entities.map { Set($0.relationships.map(\.name)) }
        func has(_ inverse: String, _ entity: Int) -> Bool {
            var visited: Set<Int> = []
            var next: Int? = entity
            while let index = next, visited.insert(index).inserted {
                if names[index].contains(inverse) { return true }
                next = entities[index].superentity.flatMap { indexes[$0] }
            }
            return false
        }
        for index in entities.indices {
            for position in entities[index].relationships.indices {
                let relationship = entities[index].relationships[position]
                // An unknown destination is an error of the model.
                guard let inverse = relationship.inverse,
                    let destination = indexes[relationship.destination],
                    !has(inverse, destination)
                else { continue }
                entities[index].relationships[position].inverse = nil
                let entity = entities[index].name
                warn(
                    .danglingInverse(inverse), entity, relationship.name,
                    line: line(relationship.name, entity))
            }
        }
    }
}

// MARK: - Indexes and constraints

extension ModelDraft {
    /// Adds an index that has a name of its own. A cache of Core Data may list one twice.
    ///
    /// A file has one index of a name, whose case does not count. It is the first one, so a later
    /// one with other elements gets a suffix.
    static func appendNamed(_ index: FetchIndexDescription, to entity: inout EntityDescription) {
        var index = index
        let name = index.name
        var suffix = 0
        while let same = entity.indexes.first(where: {
            $0.name.uppercased() == index.name.uppercased()
        }) {
            if same.isEquivalent(to: index) { return }
            suffix += 1
            index.name = "\(name)\(suffix)"
        }
        entity.indexes.append(index)
    }

    /// Adds an index of an older form, unless the entity has one of the same name or with the same
    /// elements.
    ///
    /// Core Data makes a second index, named like the attribute, for each fetch index of one
    /// element. It would serve the same fetches, so it is left out here.
    static func append(_ index: FetchIndexDescription, to entity: inout EntityDescription) {
        let name = index.name.uppercased()
        guard
            !entity.indexes.contains(where: {
                $0.name.uppercased() == name || $0.isEquivalent(to: index)
            })
        else { return }
        entity.indexes.append(index)
    }

    /// The elements that can be indexed. To-many relationships, transient attributes and properties
    /// that were left out have no column.
    mutating func usable(
        _ elements: [FetchIndexDescription.Element], _ entity: String, _ columnless: Set<String>,
        line: Int? = nil
    ) -> [FetchIndexDescription.Element] {
        for part in elements where columnless.contains(part.property) {
            let feature = "an index on '\(part.property)', which has no column; it is left out"
            warn(.unsupported(feature), entity, line: line)
        }
        return elements.filter { !columnless.contains($0.property) }
    }

    /// Adds a uniqueness constraint, unless the entity has it or it has a relationship of the
    /// entity.
    mutating func appendConstraint(
        _ names: [String], to entity: inout EntityDescription, line: Int? = nil
    ) {
        if let relationship = entity.relationships.first(where: { names.contains($0.name) }) {
            warn(.relationshipInConstraint(relationship.name), entity.name, line: line)
        } else if !entity.uniquenessConstraints.contains(names) {
            entity.uniquenessConstraints.append(names)
        }
    }
}

extension FetchIndexDescription {
    /// Whether the indexes differ in their names at most.
    fileprivate func isEquivalent(to other: Self) -> Bool {
        var other = other
        other.name = name
        return self == other
    }
}

extension EntityDescription {
    /// The names that an index cannot have: "self" and "entity", which occur in lists of names and
    /// mean the columns of key and entity, and those of the given ones that have no column.
    func columnless(_ names: [String]) -> Set<String> {
        let stored = attributes.filter { !$0.isTransient && $0.type != .composite }
        let columns = Set(stored.map(\.name))
            .union(relationships.filter { !$0.isToMany }.map(\.name))
        return Set(names).union(["self", "entity"]).subtracting(columns)
    }
}

// MARK: - Features that the engine lacks

extension ModelWarning.Reason {
    static let lostElements = unsupported(
        "a composite attribute without the elements that this engine writes; it is left out")
    static let externalElement = unsupported(
        "external storage of an element of a composite attribute; its values stay in their rows")
    static let lostDerivation = unsupported(
        "a derived attribute with this expression; it has the values that are set")
    static let encryptedAttribute = unsupported("allowsCloudEncryption; values are not encrypted")
    static let orderedToOne = unsupported(
        "an order of a to-one relationship; the mark is ignored")
    static let transientRelationship = unsupported("a transient relationship; it is left out")
    static let resultType = unsupported(
        "resultType; the method of the context decides the kind of result")

    static func expressionIndex(_ name: String) -> Self {
        .unsupported("an index on an expression; the index '\(name)' is left out")
    }

    static func relationshipInConstraint(_ name: String) -> Self {
        .unsupported("a uniqueness constraint on the relationship '\(name)'; it is left out")
    }
}

// MARK: - Classes

/// The classes that a program gives for the entities of a model file.
private struct ModelClasses {
    private let classes: [AnyClass]
    private let byName: [String: AnyClass]
    private var used: Set<ObjectIdentifier> = []

    init(_ classes: [AnyClass]) {
        self.classes = classes
        byName = Dictionary(classes.flatMap { [(String(reflecting: $0), $0), ("\($0)", $0)] }) {
            first, _ in first
        }
    }

    /// The class with a name of the form `Class`, `.Class` or `Module.Class`, or else with the name
    /// of the entity.
    mutating func find(_ name: String?, entity: String) -> AnyClass? {
        let names = [name, name?.split(separator: ".").last.map(String.init), entity]
        for case let name? in names {
            guard let found = byName[name] else { continue }
            used.insert(ObjectIdentifier(found))
            return found
        }
        return nil
    }

    var unused: [String] {
        classes.filter { !used.contains(ObjectIdentifier($0)) }.map { "\($0)" }
    }
}
