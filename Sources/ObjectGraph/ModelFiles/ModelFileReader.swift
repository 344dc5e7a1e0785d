import Foundation

/// Reads the text of a model into descriptions.
struct ModelFileReader {
    var draft: ModelDraft

    /// The lines of what an error of the model can concern.
    private var lines: [Part: Int] = [:]

    /// The types of composite attributes, by name, and the elements of those that were read.
    var composites: [String: ModelElement] = [:]
    var elementsOfComposites: [String: [AttributeDescription]] = [:]

    /// The types that are being read, each within the one before.
    var openComposites: [String] = []

    private enum Part: Hashable {
        case entity(String)
        case property(String, entity: String)
        case configuration(String)
        case template(String)
    }

    /// Reads the text of the draft's file.
    init(_ data: Data, into draft: ModelDraft) throws(ModelFileError) {
        self.draft = draft
        do throws(ModelFileError) {
            try read(ModelElement(xml: data))
        } catch { throw error.inFile(draft.file) }
    }

    /// The error with the line of the part that it concerns.
    func located(_ error: ModelError) -> ModelFileError {
        let entity = Part.entity(error.entity)
        let part: Part =
            switch error.reason {
            case .unknownConfigurationEntity(let name): .configuration(name)
            case .unknownTemplateEntity(let name): .template(name)
            default:
                // An element of a composite attribute is named by its key path.
                error.property.map {
                    .property(String($0.prefix { $0 != "." }), entity: error.entity)
                } ?? entity
            }
        return ModelFileError(.model(error), file: draft.file, line: lines[part] ?? lines[entity])
    }

    // MARK: - The model

    private mutating func read(_ root: ModelElement) throws(ModelFileError) {
        guard root.name == "model" else {
            throw ModelFileError(
                .notAModel("the root element is '\(root.name)'"), line: root.line)
        }
        reportUnknown(in: root)
        draft.versionIdentifiers = Set(
            [root["userDefinedModelVersionIdentifier"]].compactMap(\.self))
        // Entities come before the types that they name.
        try readComposites(of: root)
        for element in root.children {
            switch element.name {
            case "entity": draft.entities.append(try entity(element))
            case "configuration": try readConfiguration(element)
            case "fetchRequest": try readTemplate(element)
            default: break
            }
        }
        draft.finish { [lines] in lines[.property($0, entity: $1)] }
    }

    private mutating func readConfiguration(_ element: ModelElement) throws(ModelFileError) {
        let name = try element.text("name")
        var members: Set<String> = []
        for member in element.children(named: "memberEntity") {
            members.insert(try member.text("name"))
        }
        guard draft.configurations.updateValue(members, forKey: name) == nil else {
            throw ModelFileError(.duplicate(name, element: element.name), line: element.line)
        }
        lines[.configuration(name)] = element.line
    }

    private mutating func readTemplate(_ element: ModelElement) throws(ModelFileError) {
        let name = try element.text("name")
        guard draft.templates.updateValue(try request(element), forKey: name) == nil else {
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
        draft.setClass(named: element.nonemptyText("representedClassName"), of: &entity)
        for child in element.children {
            if let property = child["name"] {
                lines[.property(property, entity: name)] = child.line
            }
            switch child.name {
            case "attribute": entity.attributes.append(try attribute(child, of: name))
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

    // MARK: - Unknown parts

    private mutating func reportUnknown(
        in element: ModelElement, entity: String? = nil, property: String? = nil
    ) {
        guard let known = ModelVocabulary.entries[element.name] else { return }
        let unknown = element.attributes.keys.filter { !known.attributes.contains($0) }
        for name in unknown.sorted() {
            draft.warn(
                .unknownAttribute(name, element: element.name), entity, property,
                line: element.line)
        }
        for child in element.children {
            guard known.children.contains(child.name) else {
                draft.warn(.unknownElement(child.name), entity, property, line: child.line)
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
