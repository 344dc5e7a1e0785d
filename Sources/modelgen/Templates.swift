import Foundation
import Stencil

/// The two templates of the files of an entity.
struct Templates {
    private let machine: Template
    private let human: Template

    /// - Parameter folder: A folder with one or both of the templates; nil means the built-in ones.
    /// - Throws: `GenerationError`, or Foundation's error for a file that cannot be read.
    init(folder: URL?) throws {
        let texts = try [Self.machineName, Self.humanName].map { name -> String? in
            guard let file = folder?.appending(path: name),
                FileManager.default.fileExists(atPath: file.path)
            else { return nil }
            return try String(contentsOf: file, encoding: .utf8)
        }
        if let folder, texts.allSatisfy({ $0 == nil }) {
            throw GenerationError.noTemplates(folder)
        }
        let environment = Environment(trimBehaviour: .smart)
        machine = Template(
            templateString: texts[0]
                ?? String(decoding: PackageResources.machine_stencil, as: UTF8.self),
            environment: environment)
        human = Template(
            templateString: texts[1]
                ?? String(decoding: PackageResources.human_stencil, as: UTF8.self),
            environment: environment)
    }

    private static let machineName = "machine.stencil"
    private static let humanName = "human.stencil"

    func machineFile(of type: EntityClass) throws -> String {
        try Self.render(machine, type, Self.machineName)
    }

    func humanFile(of type: EntityClass) throws -> String {
        try Self.render(human, type, Self.humanName)
    }

    private static func render(
        _ template: Template, _ type: EntityClass, _ name: String
    ) throws -> String {
        do { return try template.render(["entity": type]) } catch {
            throw GenerationError.template(name, reason: "\(error)")
        }
    }
}
