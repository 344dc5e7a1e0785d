import Foundation

/// A part of a model that is not the same in an earlier one, and so changes the form of rows
/// (spec §9.1).
public struct ModelDifference: Sendable, Hashable {
    public enum Kind: Sendable, Hashable {
        /// The earlier model lacks it.
        case added
        /// Only the earlier model has it.
        case removed
        /// Both have it. The texts say what differs, such as `type string → integer64`; there is
        /// none if only the version hashes are known.
        case changed([String])
    }

    /// The name in the new model, or in the earlier one for what is removed.
    public let entity: String

    /// Nil if the entity itself is meant.
    public let property: String?
    public let kind: Kind
}

extension ModelDifference: CustomStringConvertible {
    public var description: String {
        let place = "'\(property.map { "\(entity).\($0)" } ?? entity)'"
        return switch kind {
        case .added: "\(place) is new"
        case .removed: "\(place) is removed"
        case .changed([]): "\(place) has another form"
        case .changed(let texts): "\(place): \(texts.joined(separator: ", "))"
        }
    }
}

extension [ModelDifference] {
    private static var longestList: Int { 30 }

    /// A sentence for the description of an error; empty without differences.
    var sentence: String {
        guard !isEmpty else { return "" }
        let rest = count - Self.longestList
        return
            " What differs: \(prefix(Self.longestList).map(\.description).joined(separator: "; "))"
            + (rest > 0 ? "; and \(rest) more." : ".")
    }

    /// The differences between two models, by entities, then by properties. A part with a new name
    /// is found by its renaming identifier.
    init(from source: ManagedObjectModel, to destination: ManagedObjectModel) {
        let parts = destination.entities.map { $0.description.part { $0 } }
        var names: [String: String] = [:]
        for pair in ModelPart.pairs(source.entities.map { $0.description.part { $0 } }, parts) {
            if let old = pair.old, let new = pair.new { names[old.name] = new.name }
        }
        let formers = source.entities.map { $0.description.part { names[$0] ?? $0 } }
        self = ModelPart.pairs(formers, parts).flatMap { pair -> [ModelDifference] in
            let entity = pair.name
            let own = [pair.difference].compactMap(\.self).map {
                ModelDifference(entity: entity, property: nil, kind: $0)
            }
            guard let old = pair.old, let new = pair.new else { return own }
            return own
                + ModelPart.pairs(old.properties, new.properties).compactMap { pair in
                    pair.difference.map {
                        ModelDifference(entity: entity, property: pair.name, kind: $0)
                    }
                }
        }
    }

    /// The entities that differ from those with version hashes of an earlier model, of which
    /// nothing else is known.
    init(from hashes: [String: Data], to destination: ManagedObjectModel) {
        let own = destination.entityVersionHashesByName.mapValues { Data($0) }
        self = Set(hashes.keys).union(own.keys).sorted().compactMap { name in
            guard hashes[name] != own[name] else { return nil }
            let kind: ModelDifference.Kind =
                hashes[name] == nil ? .added : own[name] == nil ? .removed : .changed([])
            return ModelDifference(entity: name, property: nil, kind: kind)
        }
    }
}

// MARK: - What a description says

/// An entity or a property, with what decides the form of its rows.
private struct ModelPart {
    let name: String
    let renamingIdentifier: String?
    let aspects: [ModelAspect]
    var properties: [ModelPart] = []

    /// Two parts that correspond; one may be missing.
    struct Pair {
        let old: ModelPart?
        let new: ModelPart?

        var name: String { new?.name ?? old?.name ?? "" }

        /// Nil if nothing differs.
        var difference: ModelDifference.Kind? {
            guard let old else { return .added }
            guard let new else { return .removed }
            let texts = ModelAspect.changes(from: old.aspects, to: new.aspects)
            let all = (old.name == new.name ? [] : ["was '\(old.name)'"]) + texts
            return all.isEmpty ? nil : .changed(all)
        }
    }

    /// In the order of the new parts, then the old ones that are gone.
    static func pairs(_ old: [ModelPart], _ new: [ModelPart]) -> [Pair] {
        let parts = Dictionary(old.map { ($0.name, $0) }) { first, _ in first }
        let newNames = Set(new.map(\.name))
        var used: Set<String> = []
        let pairs = new.map { part in
            var former = parts[part.name]
            if former == nil, let name = part.renamingIdentifier, !newNames.contains(name) {
                former = parts[name]
            }
            if let former { used.insert(former.name) }
            return Pair(old: former, new: part)
        }
        return pairs + old.filter { !used.contains($0.name) }.map { Pair(old: $0, new: nil) }
    }
}

/// One thing that decides the form of rows, in words.
private struct ModelAspect: Hashable {
    /// Empty if the text speaks for itself.
    let name: String
    let text: String

    init(_ name: String, _ text: String?) {
        self.name = name
        self.text = text.flatMap { $0.isEmpty ? nil : $0 } ?? "none"
    }

    static func changes(from old: [ModelAspect], to new: [ModelAspect]) -> [String] {
        // An attribute and a relationship have nothing to compare.
        guard old.map(\.name) == new.map(\.name) else { return ["another kind of property"] }
        return zip(old, new).filter { $0 != $1 }.map { old, new in
            "\(old.name.isEmpty ? "" : old.name + " ")\(old.text) → \(new.text)"
        }
    }
}

extension EntityDescription {
    /// - Parameter newName: The name of an entity in the new model.
    fileprivate func part(_ newName: (String) -> String) -> ModelPart {
        ModelPart(
            name: name, renamingIdentifier: renamingIdentifier,
            aspects: [
                ModelAspect("parent", superentity.map(newName)),
                ModelAspect("", isAbstract ? "abstract" : "not abstract"),
                ModelAspect(
                    "uniqueness constraints",
                    uniquenessConstraints.map { $0.joined(separator: " + ") }
                        .joined(separator: ", ")),
                ModelAspect("version hash modifier", versionHashModifier),
            ],
            properties: attributes.map {
                ModelPart(
                    name: $0.name, renamingIdentifier: $0.renamingIdentifier, aspects: $0.aspects)
            }
                + relationships.map {
                    ModelPart(
                        name: $0.name, renamingIdentifier: $0.renamingIdentifier,
                        aspects: $0.aspects(newName))
                })
    }
}

extension AttributeDescription {
    fileprivate var aspects: [ModelAspect] {
        [
            ModelAspect("type", "\(type)"),
            ModelAspect("", isOptional ? "optional" : "mandatory"),
            ModelAspect("", isTransient ? "transient" : "stored"),
            ModelAspect("derivation", derivation),
            ModelAspect(
                "elements",
                elements.map { "\($0.name) (\($0.aspects.map(\.text).joined(separator: ", ")))" }
                    .joined(separator: ", ")),
            ModelAspect("version hash modifier", versionHashModifier),
        ]
    }
}

extension RelationshipDescription {
    fileprivate func aspects(_ newName: (String) -> String) -> [ModelAspect] {
        [
            ModelAspect("", isToMany ? "to-many" : "to-one"),
            ModelAspect("destination", newName(destination)),
            ModelAspect("inverse", inverse),
            ModelAspect("", isOptional ? "optional" : "mandatory"),
            ModelAspect("count", "\(minCount)–\(maxCount == 0 ? "∞" : "\(maxCount)")"),
            ModelAspect("", isOrdered ? "ordered" : "unordered"),
            ModelAspect("version hash modifier", versionHashModifier),
        ]
    }
}
