import Foundation
import Stencil

/// The two templates of the files of an entity.
struct Templates {
    private let machineText: String
    private let humanText: String
    private let environment = Environment(trimBehaviour: .smart)

    /// - Parameter folder: A folder with one or both of the templates; nil means the built-in ones.
    /// - Throws: `GenerationError.noTemplates`, or Foundation's error for a file that cannot be
    ///   read.
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
        machineText = texts[0] ?? String(decoding: PackageResources.machine_stencil, as: UTF8.self)
        humanText = texts[1] ?? String(decoding: PackageResources.human_stencil, as: UTF8.self)
    }

    private static let machineName = "machine.stencil"
    private static let humanName = "human.stencil"

    func machine(_ type: EntityClass) throws -> String {
        try render(machineText, type, Self.machineName)
    }

    func human(_ type: EntityClass) throws -> String {
        try render(humanText, type, Self.humanName)
    }

    private func render(_ text: String, _ type: EntityClass, _ name: String) throws -> String {
        do {
            return try environment.renderTemplate(string: text, context: ["entity": type])
        } catch {
            throw GenerationError.template(name, reason: "\(error)")
        }
    }
}
