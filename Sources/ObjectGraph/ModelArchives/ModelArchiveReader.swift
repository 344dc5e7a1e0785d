import Foundation

/// Reads a model in a keyed archive into descriptions: the model cache of a store, or a compiled
/// model.
struct ModelArchiveReader {
    var draft: ModelDraft
    var archive: ModelArchive

    /// The entity and the property that are being read, for errors.
    private var entityName: String?
    private var propertyName: String?

    /// The number of elements of the attribute that is being read.
    var elementCount = 0

    /// The outline of an entity, before it is read.
    private struct Outline {
        let object: ModelArchive.Object
        let superentity: String?

        /// The properties, including inherited ones if the archive repeats them.
        let properties: [(key: String, value: Int)]
        let names: Set<String>
    }

    private var outlines: [String: Outline] = [:]

    init(_ data: Data, into draft: ModelDraft) throws(KeyedArchiveError) {
        self.draft = draft
        archive = try ModelArchive(data)
    }

    /// The draft with the content of an archive.
    static func read(
        _ data: Data, into draft: ModelDraft
    ) throws(ModelFileError) -> ModelDraft {
        var reader: Self
        let root: ModelArchive.Object
        do throws(KeyedArchiveError) {
            reader = try Self(data, into: draft)
            root = try reader.archive.root()
        } catch { throw ModelFileError(.archive(error), file: draft.file) }
        guard root.className == "NSManagedObjectModel" else {
            let isLegacy = root.className == "XDPMModel"
            throw ModelFileError(
                isLegacy ? .legacyFormat : .notAModel("the archive has a '\(root.className)'"),
                file: draft.file)
        }
        do throws(KeyedArchiveError) {
            try reader.readModel(root)
        } catch {
            throw ModelFileError(
                .archive(error, entity: reader.entityName, property: reader.propertyName),
                file: draft.file)
        }
        return reader.draft
    }

    // MARK: - The model

    private mutating func readModel(_ root: ModelArchive.Object) throws(KeyedArchiveError) {
        reportUnknown(root)
        for index in try archive.elements("NSVersionIdentifiers", of: root) {
            if case .string(let text) = try archive.value(at: index) {
                draft.versionIdentifiers.insert(text)
            }
        }
        let entities = try archive.entries("NSEntities", of: root)
        var names: [String] = []
        for (_, index) in entities {
            let object = try archive.object(at: index)
            guard object.className == "NSEntityDescription" else {
                throw try archive.damaged("a \(object.className) in place of an entity", at: index)
            }
            let name = try nameOfEntity(object)
            entityName = name
            names.append(name)
            let parent = try archive.object("NSSuperentity", of: object)
            let properties = try archive.entries("NSProperties", of: object)
            outlines[name] = Outline(
                object: object,
                superentity: try parent.map { parent throws(KeyedArchiveError) in
                    try nameOfEntity(parent)
                }, properties: properties, names: Set(properties.map(\.key)))
        }
        for name in names {
            guard let outline = outlines[name] else { continue }
            entityName = name
            draft.entities.append(try entity(name, outline))
        }
        entityName = nil
        try readConfigurations(root)
        for (name, index) in try archive.entries("NSFetchRequestTemplates", of: root) {
            if let request = try request(archive.object(at: index)) {
                draft.templates[name] = request
            }
        }
        draft.finish { _, _ in nil }
    }

    private mutating func readConfigurations(
        _ root: ModelArchive.Object
    ) throws(KeyedArchiveError) {
        for (name, index) in try archive.entries("NSConfigurations", of: root) {
            guard name != ManagedObjectModel.defaultConfiguration else { continue }
            var members: Set<String> = []
            for member in try archive.elements(at: index) {
                members.insert(try nameOfEntity(archive.object(at: member)))
            }
            draft.configurations[name] = members
        }
    }

    mutating func nameOfEntity(
        _ object: ModelArchive.Object
    ) throws(KeyedArchiveError) -> String {
        try archive.required(
            archive.value("NSEntityName", of: object), "NSEntityName", of: object)
    }

    // MARK: - Entities

    private mutating func entity(
        _ name: String, _ outline: Outline
    ) throws(KeyedArchiveError) -> EntityDescription {
        let object = outline.object
        reportUnknown(object, name)
        var entity = EntityDescription(
            name: name, superentity: outline.superentity,
            isAbstract: try archive.value("NSIsAbstract", of: object) ?? false,
            renamingIdentifier: try renamingIdentifier(of: object, name),
            userInfo: try userInfo(of: object, name),
            versionHashModifier: try archive.value("NSVersionHashModifier", of: object))
        draft.setClass(
            named: try archive.nonemptyText("NSClassNameForEntity", of: object), of: &entity)
        var indexed: [String] = []
        let own = outline.properties.filter { !inherits($0.key, outline) }
        for (property, index) in own {
            propertyName = property
            let object = try described(archive.object(at: index))
            try readProperty(property, object, into: &entity)
            if try archive.value("NSIsIndexed", of: object) ?? false { indexed.append(property) }
        }
        propertyName = nil
        try readIndexes(
            of: object, indexed: indexed, columnless: entity.columnless(own.map(\.key)),
            into: &entity)
        for index in try archive.elements("NSUniqueTuples", of: object) {
            draft.appendConstraint(try names(at: index), to: &entity)
        }
        return entity
    }

    /// Whether an ancestor has a property of that name. In a store's cache every entity repeats
    /// what it inherits.
    private func inherits(_ property: String, _ outline: Outline) -> Bool {
        var next = outline.superentity
        // The assembly of the model refuses more ancestors.
        for _ in 0..<ModelAssembly.maximumDepth {
            guard let name = next, let ancestor = outlines[name] else { break }
            if ancestor.names.contains(property) { return true }
            next = ancestor.superentity
        }
        return false
    }

    /// The property, or the one that stands behind a proxy.
    mutating func described(
        _ object: ModelArchive.Object
    ) throws(KeyedArchiveError) -> ModelArchive.Object {
        guard object.className == "_NSPropertyDescriptionProxy" else { return object }
        return try archive.required(
            archive.object("NSUnderlyingProperty", of: object), "NSUnderlyingProperty", of: object)
    }

    // MARK: - Parts that several objects have

    /// Reports the fields of an object that are not known.
    mutating func reportUnknown(
        _ object: ModelArchive.Object, _ entity: String? = nil, _ property: String? = nil
    ) {
        for field in ArchiveVocabulary.unknownFields(of: object) {
            draft.warn(.unknownAttribute(field, element: object.className), entity, property)
        }
    }

    mutating func names(at index: Int) throws(KeyedArchiveError) -> [String] {
        var names: [String] = []
        for element in try archive.elements(at: index) {
            guard case .string(let name) = try archive.value(at: element) else {
                throw try archive.damaged("a name that is not a string", at: element)
            }
            names.append(name)
        }
        return names
    }

    mutating func renamingIdentifier(
        of object: ModelArchive.Object, _ name: String
    ) throws(KeyedArchiveError) -> String? {
        try archive.nonemptyText("NSRenamingIdentifier", of: object).flatMap {
            $0 == name ? nil : $0
        }
    }

    mutating func userInfo(
        of object: ModelArchive.Object, _ entity: String, _ property: String? = nil
    ) throws(KeyedArchiveError) -> [String: String] {
        var info: [String: String] = [:]
        for (key, index) in try archive.entries("NSUserInfo", of: object) {
            if case .string(let text)? = try archive.knownValue(at: index) {
                info[key] = text
            } else {
                let feature = "a value in userInfo that is not text; '\(key)' is left out"
                draft.warn(.unsupported(feature), entity, property)
            }
        }
        return info
    }
}
