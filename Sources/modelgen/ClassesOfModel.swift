import Foundation
import ModelSource
import ObjectGraph

/// Makes the classes of a model.
struct ClassesOfModel {
    private let model: ManagedObjectModel
    private let entities: [EntityDescription]
    private let access: String

    /// The names of the classes by entity.
    private let names: [String: String]

    /// What members cannot be called, since it would hide something that generated source uses.
    private let takenNames: Set<String>

    init(_ model: ManagedObjectModel, access: String) throws(ModelPartError) {
        self.model = model
        self.access = access.isEmpty ? "" : access + " "
        entities = model.entitiesByName.values.sorted { $0.name < $1.name }
        var names: [String: String] = [:]
        var owners: [String: String] = [:]
        for entity in entities {
            let name = Self.className(of: entity)
            func fail(_ reason: ModelPartError.Reason) -> ModelPartError {
                ModelPartError(entity: entity.name, property: nil, reason: reason)
            }
            guard SwiftName(name)?.source == name else { throw fail(.className(name)) }
            guard !Self.usedTypes.contains(name) else { throw fail(.hidingClass(name)) }
            for taken in [name, "_\(name)"] {
                if let other = owners.updateValue(entity.name, forKey: taken) {
                    throw fail(.sharedClass(taken, otherEntity: other))
                }
            }
            names[entity.name] = name
        }
        self.names = names
        takenNames = Self.takenMembers.union(Self.usedTypes).union(names.values)
    }

    /// The class that the file names, without its module. An entity of `NSManagedObject` has a
    /// class of its own name.
    private static func className(of entity: EntityDescription) -> String {
        let name = entity.managedObjectClassName?.split(separator: ".").last.map(String.init)
        guard let name, name != "NSManagedObject", name != "ManagedObject" else {
            return entity.name
        }
        return name
    }

    /// The types that generated source names.
    private static let usedTypes: Set<String> = [
        "Array", "Attribute", "AttributeDescription", "Bool", "Data", "Date", "Decimal", "Double",
        "EntityDescription", "FetchIndexDescription", "FetchRequest", "FetchedPropertyDescription",
        "Float", "Foundation", "Int", "Int16", "Int32", "Int64", "ManagedObject",
        "ManagedObjectContext", "ManagedObjectID", "ManagedObjectModel", "ObjectGraph",
        "ObjectPredicate", "OrderedToMany", "PredicateArgument", "PropertyList",
        "RelationshipDescription", "Sequence", "Set", "String", "Swift", "ToMany", "ToOne",
        "Transformable", "URL", "UUID", "ValidationRule", "ValueTransformer",
    ]

    // MARK: - Classes

    /// The classes, in the order of their entities' names.
    var classes: [EntityClass] {
        get throws {
            var classes: [EntityClass] = []
            for entity in entities { classes.append(try entityClass(entity)) }
            return classes
        }
    }

    private func entityClass(_ entity: EntityDescription) throws -> EntityClass {
        let name = name(of: entity.name)
        var attributes: [ClassAttribute] = []
        var untyped: [String] = []
        for attribute in entity.attributes {
            let source = try member(attribute.name, of: entity)
            guard let type = try AttributeSource(attribute, of: entity.name) else {
                untyped.append(attribute.name)
                continue
            }
            attributes.append(
                ClassAttribute(
                    name: attribute.name, source: source, accessor: type.accessor,
                    type: type.property, enumeration: type.enumeration,
                    isDerived: attribute.derivation != nil,
                    documentation: attribute.userInfo.documentation, userInfo: attribute.userInfo))
        }
        var requests: [ClassRequest] = []
        for (template, request) in model.fetchRequestTemplatesByName.sorted(by: { $0.key < $1.key })
        where request.entityName == entity.name {
            requests.append(try self.request(template, request, of: entity))
        }
        return EntityClass(
            entity: entity.name, name: name, machineName: "_\(name)",
            superclass: entity.superentity.map(self.name(of:)) ?? "ManagedObject",
            isAbstract: entity.isAbstract, access: access,
            documentation: entity.userInfo.documentation, userInfo: entity.userInfo,
            attributes: attributes,
            relationships: try entity.relationships.map { try relationship($0, of: entity) },
            fetchedProperties: try entity.fetchedProperties.map { property in
                ClassFetchedProperty(
                    name: property.name, source: try member(property.name, of: entity),
                    destination: self.name(of: property.request.entityName),
                    documentation: property.userInfo.documentation, userInfo: property.userInfo)
            },
            finders: try finders(of: entity), requests: requests, untyped: untyped)
    }

    private func name(of entity: String) -> String { names[entity] ?? entity }

    private func relationship(
        _ relationship: RelationshipDescription, of entity: EntityDescription
    ) throws -> ClassRelationship {
        let (name, destination) = (relationship.name, name(of: relationship.destination))
        let siblings = model.relationshipsByName(ofEntity: entity.name) ?? [:]
        // `addToBooks` cannot belong to both `books` and `Books`.
        guard siblings.keys.count(where: { $0.capitalizedName == name.capitalizedName }) == 1 else {
            throw ModelPartError(entity: entity.name, property: name, reason: .memberName(name))
        }
        let kind =
            !relationship.isToMany ? "ToOne" : relationship.isOrdered ? "OrderedToMany" : "ToMany"
        let type =
            !relationship.isToMany
            ? "\(destination)?"
            : relationship.isOrdered ? "[\(destination)]" : "Set<\(destination)>"
        return ClassRelationship(
            name: name, source: try member(name, of: entity),
            capitalizedName: name.capitalizedName,
            destination: destination, isToMany: relationship.isToMany,
            isOrdered: relationship.isOrdered, accessor: "\(kind)<\(destination)>", type: type,
            documentation: relationship.userInfo.documentation, userInfo: relationship.userInfo)
    }

    /// The name of a property as source.
    private func member(
        _ name: String, of entity: EntityDescription
    ) throws(ModelPartError) -> String {
        guard let swift = SwiftName(name), !takenNames.contains(name) else {
            throw ModelPartError(entity: entity.name, property: name, reason: .memberName(name))
        }
        return swift.source
    }

    /// Members of `ManagedObject` that a property of the same name would override, beside those
    /// that the model refuses, and members that every type has.
    private static let takenMembers: Set<String> = [
        "entityName", "hashValue", "init", "managedProperties", "predicateExpression", "self",
        "Self", "Type", "Protocol",
        "validatedKeys",
    ]

    // MARK: - Functions

    /// Functions for the uniqueness constraints, and for the indexes on attributes. A function that
    /// an ancestor has is inherited.
    private func finders(of entity: EntityDescription) throws -> [ClassFinder] {
        var known: Set<[String]> = []
        var ancestor = entity.superentity.flatMap { model.entitiesByName[$0] }
        while let description = ancestor {
            known.formUnion(description.findable.map(\.names))
            ancestor = description.superentity.flatMap { model.entitiesByName[$0] }
        }
        var finders: [ClassFinder] = []
        for (names, isUnique) in entity.findable where known.insert(names).inserted {
            let attributes = model.attributesByName(ofEntity: entity.name) ?? [:]
            var parts: [(parameter: String, condition: String)] = []
            for attribute in names.compactMap({ attributes[$0] }) {
                guard let type = try AttributeSource(attribute, of: entity.name) else { continue }
                let source = try member(attribute.name, of: entity)
                let value = type.enumeration == nil ? source : "\(source).rawValue"
                parts.append(
                    (
                        "\(source): \(type.value)",
                        ".comparison(.init(.keyPath(\"\(attribute.name)\"), .equal, .constant(\(value).attributeValue)))"
                    ))
            }
            guard parts.count == names.count else { continue }
            let conditions = parts.map(\.condition)
            finders.append(
                ClassFinder(
                    isUnique: isUnique,
                    parameters: parts.map(\.parameter).joined(separator: ", "),
                    predicate: conditions.count == 1
                        ? conditions[0] : ".and([\(conditions.joined(separator: ", "))])"))
        }
        return finders
    }

    private func request(
        _ name: String, _ request: FetchRequest, of entity: EntityDescription
    ) throws -> ClassRequest {
        guard let function = SwiftName(name), !takenNames.contains(name) else {
            throw ModelPartError(
                entity: entity.name, property: nil, reason: .templateName(name))
        }
        let types = VariableTypes(request, model: model, classes: names)
        var parameters = ""
        var variables: [String] = []
        for variable in types.names {
            guard let label = SwiftName(functionNamed: variable),
                !["request", "managedObjectContext", "self"].contains(label.name)
            else {
                throw ModelPartError(
                    entity: entity.name, property: nil,
                    reason: .variableName(variable, template: name))
            }
            parameters += "\(label.source): \(types[variable]), "
            variables.append("\(variable.swiftLiteral): \(label.source)")
        }
        let swift = try SwiftRequest(request, "the template '\(name)'")
        var assignments = swift.assignments
        if !variables.isEmpty {
            let values = variables.joined(separator: ", ")
            assignments.append(
                "request.predicate = request.predicate?.withSubstitutionVariables([\(values)])")
        }
        return ClassRequest(
            name: name, source: function.source, parameters: parameters,
            keyword: assignments.isEmpty ? "let" : "var", request: swift.expression,
            assignments: assignments)
    }
}

extension String {
    fileprivate var capitalizedName: String { prefix(1).uppercased() + dropFirst() }
}

extension EntityDescription {
    /// The lists of attributes by which objects can be found, the unique ones first.
    fileprivate var findable: [(names: [String], isUnique: Bool)] {
        let indexed = indexes.filter { index in
            index.kind == .binary && index.partialIndexPredicate == nil
                && index.elements.allSatisfy { $0.folding == .none }
        }
        return uniquenessConstraints.map { ($0, true) }
            + indexed.map { ($0.elements.map(\.property), false) }
    }
}

extension [String: String] {
    /// The lines of the entry `documentation`.
    fileprivate var documentation: [String] {
        (self["documentation"] ?? "").split(whereSeparator: \.isNewline).map(String.init)
    }
}
