import Foundation

/// Reads the text of a model into descriptions.
struct ModelFileReader {
    private(set) var entities: [EntityDescription] = []
    private(set) var configurations: [String: Set<String>] = [:]
    private(set) var templates: [String: FetchRequest] = [:]
    private(set) var versionIdentifiers: Set<String> = []

    /// In the order of their lines.
    private(set) var warnings: [ModelWarning] = []

    let transformers: [String: ValueTransformer]
    private let file: URL
    private var classes: ModelClasses

    /// The lines of what an error of the model can concern.
    private var lines: [Part: Int] = [:]

    private enum Part: Hashable {
        case entity(String)
        case property(String, entity: String)
        case configuration(String)
        case template(String)
    }

    init(
        _ file: URL, classes: [AnyClass], transformers: [ValueTransformer]
    ) throws(ModelFileError) {
        self.file = file
        self.classes = ModelClasses(classes)
        self.transformers = Dictionary(transformers.map { ($0.name, $0) }) { first, _ in first }
        do throws(ModelFileError) {
            try read(ModelElement(xml: ModelFile.data(at: file)))
        } catch { throw error.inFile(file) }
    }

    /// The error with the line of the part that it concerns.
    func located(_ error: ModelError) -> ModelFileError {
        let entity = Part.entity(error.entity)
        let part: Part =
            switch error.reason {
            case .unknownConfigurationEntity(let name): .configuration(name)
            case .unknownTemplateEntity(let name): .template(name)
            default: error.property.map { .property($0, entity: error.entity) } ?? entity
            }
        return ModelFileError(.model(error), file: file, line: lines[part] ?? lines[entity])
    }

    mutating func warn(
        _ reason: ModelWarning.Reason, _ entity: String?, _ property: String? = nil, line: Int?
    ) {
        warnings.append(ModelWarning(entity, property, reason, file: file, line: line))
    }

    // MARK: - The model

    private mutating func read(_ root: ModelElement) throws(ModelFileError) {
        guard root.name == "model" else {
            throw ModelFileError(
                .notAModel("the root element is '\(root.name)'"), line: root.line)
        }
        reportUnknown(in: root)
        versionIdentifiers = Set([root["userDefinedModelVersionIdentifier"]].compactMap(\.self))
        for element in root.children {
            switch element.name {
            case "entity": entities.append(try entity(element))
            case "configuration": try readConfiguration(element)
            case "fetchRequest": try readTemplate(element)
            default: break
            }
        }
        dropDanglingInverses()
        for name in classes.unused { warn(.unusedClass(name), nil, line: nil) }
        warnings.sort { $0.line ?? 0 < $1.line ?? 0 }
    }

    private mutating func readConfiguration(_ element: ModelElement) throws(ModelFileError) {
        let name = try element.text("name")
        var members: Set<String> = []
        for member in element.children(named: "memberEntity") {
            members.insert(try member.text("name"))
        }
        guard configurations.updateValue(members, forKey: name) == nil else {
            throw ModelFileError(.duplicate(name, element: element.name), line: element.line)
        }
        lines[.configuration(name)] = element.line
    }

    private mutating func readTemplate(_ element: ModelElement) throws(ModelFileError) {
        let name = try element.text("name")
        guard templates.updateValue(try request(element), forKey: name) == nil else {
            throw ModelFileError(.duplicate(name, element: element.name), line: element.line)
        }
        lines[.template(name)] = element.line
    }

    // MARK: - Entities

    private mutating func entity(_ element: ModelElement) throws(ModelFileError)
        -> EntityDescription
    {
        let name = try element.text("name")
        lines[.entity(name)] = element.line
        var entity = EntityDescription(
            name: name, superentity: element.nonemptyText("parentEntity"),
            isAbstract: try element.flag("isAbstract"),
            renamingIdentifier: element.renamingIdentifier, userInfo: try element.userInfo(),
            versionHashModifier: element["versionHashModifier"])
        entity.managedObjectClassName = element.nonemptyText("representedClassName")
        entity.managedObjectClass = classes.find(entity.managedObjectClassName, entity: name)
        for child in element.children {
            if let property = child["name"] {
                lines[.property(property, entity: name)] = child.line
            }
            switch child.name {
            case "attribute":
                if let attribute = try attribute(child, of: name) {
                    entity.attributes.append(attribute)
                }
            case "relationship":
                if let relationship = try relationship(child, of: name) {
                    entity.relationships.append(relationship)
                }
            case "fetchedProperty":
                entity.fetchedProperties.append(try fetchedProperty(child, of: name))
            default: break
            }
        }
        try readIndexes(of: element, into: &entity)
        try readConstraints(of: element, into: &entity)
        return entity
    }

    /// Removes inverses that do not exist. A relationship inherits to subentities, so an inverse
    /// may be declared by an ancestor of the destination.
    private mutating func dropDanglingInverses() {
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
                    line: lines[.property(relationship.name, entity: entity)])
            }
        }
    }

    // MARK: - Unknown parts

    private mutating func reportUnknown(
        in element: ModelElement, entity: String? = nil, property: String? = nil
    ) {
        guard let known = ModelVocabulary.entries[element.name] else { return }
        let unknown = element.attributes.keys.filter { !known.attributes.contains($0) }
        for name in unknown.sorted() {
            warn(
                .unknownAttribute(name, element: element.name), entity, property,
                line: element.line)
        }
        for child in element.children {
            guard known.children.contains(child.name) else {
                warn(.unknownElement(child.name), entity, property, line: child.line)
                continue
            }
            switch child.name {
            case "entity": reportUnknown(in: child, entity: child["name"])
            case "attribute", "relationship", "fetchedProperty":
                reportUnknown(in: child, entity: entity, property: child["name"])
            default: reportUnknown(in: child, entity: entity, property: property)
            }
        }
    }
}

extension ModelElement {
    /// The old name of the entity or property; nil if it is the present one.
    var renamingIdentifier: String? {
        nonemptyText("elementID").flatMap { $0 == self["name"] ? nil : $0 }
    }

    func userInfo() throws(ModelFileError) -> [String: String] {
        var info: [String: String] = [:]
        for list in children(named: "userInfo") {
            for entry in list.children(named: "entry") {
                info[try entry.text("key")] = entry["value"] ?? ""
            }
        }
        return info
    }
}

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
