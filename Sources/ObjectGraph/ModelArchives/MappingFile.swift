import Foundation

/// A mapping model of Xcode's editor, `Name.xcmappingmodel`: what it says of entities and their
/// properties (spec §9.3).
///
/// The file is a store of Core Data's XML type, whose objects refer to each other. Objects that the
/// mapping model does not lead to are left-overs of the editor. The models that the file embeds are
/// not read.
struct MappingFile {
    struct Entity {
        /// The name that expressions of other mappings use.
        let name: String

        /// Nil for an entity that is added.
        let source: String?
        let destination: String

        /// As `Module.Class` or `Class`; nil without code.
        let policy: String?
        let attributes: [Property]
        let relationships: [Property]
        let line: Int
    }

    struct Property {
        let name: String
        let value: Value
    }

    enum Value: Hashable {
        /// That of the property of the source with the same name, if there is one.
        case automatic
        case expression(ObjectExpression)
        /// The objects that a mapping has made of those at a key path; nil means any mapping.
        case objects(ObjectExpression, mapping: String?)
        /// A function of the policy computes it.
        case policy
    }

    /// In the order in which they run.
    let entities: [Entity]
    let file: URL

    /// - Parameter url: The folder, or the file in it.
    init(contentsOf url: URL) throws(ModelFileError) {
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: url.path, isDirectory: &isFolder) else {
            throw ModelFileError(.missing, file: url)
        }
        let file = isFolder.boolValue ? url.appending(path: "xcmapping.xml") : url
        try self.init(ModelFile.data(at: file), of: file)
    }

    /// - Parameters:
    ///   - data: The text of the file.
    ///   - file: The file, for errors.
    init(_ data: Data, of file: URL) throws(ModelFileError) {
        do throws(ModelFileError) {
            let root = try ModelElement(
                xml: data.withoutDocumentType("database"), keepsTexts: true)
            entities = try MappingFileReader(root).entities()
        } catch { throw error.inFile(file) }
        self.file = file
    }
}

/// Reads the objects of a mapping file.
private struct MappingFileReader {
    private let objects: [String: ModelElement]
    private let model: ModelElement

    init(_ root: ModelElement) throws(ModelFileError) {
        guard root.name == "database" else {
            throw ModelFileError(
                .notAModel("the root is '\(root.name)', not 'database'"), line: root.line)
        }
        var objects: [String: ModelElement] = [:]
        for object in root.children(named: "object") {
            let id = try object.text("id")
            guard objects.updateValue(object, forKey: id) == nil else {
                throw ModelFileError(.duplicate(id, element: "object"), line: object.line)
            }
        }
        let models = root.children(named: "object").filter { $0["type"] == "XDDEVMAPPINGMODEL" }
        guard models.count == 1 else {
            throw ModelFileError(
                .notAModel("it has \(models.count) mapping models in place of one"), line: root.line
            )
        }
        self.objects = objects
        model = models[0]
    }

    func entities() throws(ModelFileError) -> [MappingFile.Entity] {
        var numbered: [(number: Int, entity: MappingFile.Entity)] = []
        for object in try members("entitymappings", of: model, "XDDEVENTITYMAPPING") {
            // A source without a destination is removed, as one without a mapping is.
            guard let destination = value("destinationname", of: object) else { continue }
            let source = value("sourcename", of: object)
            let automatic = source.map { "\($0)To\(destination)" } ?? destination
            let entity = MappingFile.Entity(
                name: value("name", of: object) ?? automatic, source: source,
                destination: destination, policy: value("migrationpolicyclassname", of: object),
                attributes: try properties(
                    "attributemappings", of: object, "XDDEVATTRIBUTEMAPPING"),
                relationships: try properties(
                    "relationshipmappings", of: object, "XDDEVRELATIONSHIPMAPPING"),
                line: object.line)
            numbered.append((value("mappingnumber", of: object).flatMap { Int($0) } ?? 0, entity))
        }
        return numbered.enumerated().sorted {
            ($0.element.number, $0.offset) < ($1.element.number, $1.offset)
        }.map(\.element.entity)
    }

    private func properties(
        _ relationship: String, of object: ModelElement, _ type: String
    ) throws(ModelFileError) -> [MappingFile.Property] {
        var properties: [MappingFile.Property] = []
        for part in try members(relationship, of: object, type) {
            // The editor keeps parts whose property is gone.
            guard let name = value("name", of: part) else { continue }
            properties.append(MappingFile.Property(name: name, value: try mapped(part)))
        }
        return properties
    }

    // MARK: - Values

    private func mapped(_ part: ModelElement) throws(ModelFileError) -> MappingFile.Value {
        let mapping = value("sourcemappingname", of: part)
        if let path = value("sourcekeypath", of: part) {
            return .objects(try keyPath(path, part), mapping: mapping)
        }
        guard let text = value("valueexpressiondata", of: part) else { return .automatic }
        guard let data = Data(base64Encoded: text, options: .ignoreUnknownCharacters),
            !data.isEmpty
        else { throw part.unacceptable("…", "valueexpressiondata", "data in base 64") }
        let expression: ObjectExpression?
        do throws(KeyedArchiveError) {
            expression = try ModelArchiveReader.expression(data)
        } catch {
            let property = value("name", of: part) ?? ""
            throw ModelFileError(
                .malformed("the expression of '\(property)' is no keyed archive, or a damaged one"),
                line: part.line)
        }
        guard let expression, let mapped = Self.mapped(expression) else {
            throw part.unacceptable(
                expression.map { "\($0)" } ?? "of an unknown form", "valueexpressiondata",
                "a constant, a key path from $source, or a function of $manager or $entityPolicy")
        }
        return mapped
    }

    /// What an expression means; nil for forms that the editor does not make.
    private static func mapped(_ expression: ObjectExpression) -> MappingFile.Value? {
        switch expression {
        case .constant: return .expression(expression)
        case .variable(let path): return path.hasPrefix("source.") ? .expression(expression) : nil
        case .function(_, let arguments) where arguments.first == .variable("entityPolicy"):
            return .policy
        case .function(let name, let arguments) where arguments.first == .variable("manager"):
            guard arguments.count == 3, case .constant(.string(let mapping)) = arguments[1],
                case .variable(let path) = arguments[2], path.hasPrefix("source.")
            else { return nil }
            return switch name {
            case "destinationInstancesForEntityMappingNamed:sourceInstances:":
                .objects(arguments[2], mapping: mapping)
            // The text names the relationship, which leads to the objects of any mapping.
            case "destinationInstancesForSourceRelationshipNamed:sourceInstances:":
                .objects(arguments[2], mapping: nil)
            default: nil
            }
        default: return nil
        }
    }

    /// A key path to objects, perhaps with operators that unite them.
    private func keyPath(
        _ text: String, _ part: ModelElement
    ) throws(ModelFileError) -> ObjectExpression {
        let names = text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard names.count > 1, names[0] == "$source",
            names.dropFirst().allSatisfy({
                ModelAssembly.isName($0) || ObjectExpression.unionOperators.contains($0)
            })
        else { throw part.unacceptable(text, "sourcekeypath", "a key path from $source") }
        return .variable("source." + names.dropFirst().joined(separator: "."))
    }

    // MARK: - Objects

    /// The text of an attribute; nil if it is absent or empty.
    private func value(_ name: String, of object: ModelElement) -> String? {
        object.children(named: "attribute").first { $0["name"] == name }.flatMap {
            let text = $0.content.trimmingCharacters(in: .whitespacesAndNewlines)
            return text.isEmpty ? nil : text
        }
    }

    /// The objects at the other end of a relationship.
    private func members(
        _ name: String, of object: ModelElement, _ type: String
    ) throws(ModelFileError) -> [ModelElement] {
        guard
            let relationship = object.children(named: "relationship")
                .first(where: { $0["name"] == name })
        else { return [] }
        var members: [ModelElement] = []
        for id in Set((relationship["idrefs"] ?? "").split(separator: " ")).sorted() {
            guard let member = objects[String(id)], member["type"] == type else {
                throw relationship.unacceptable(
                    String(id), "idrefs", "the identifiers of objects of type \(type)")
            }
            members.append(member)
        }
        return members.sorted { $0.line < $1.line }
    }
}
