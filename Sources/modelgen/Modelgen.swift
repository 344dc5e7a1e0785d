import ArgumentParser
import Foundation
import ModelSource
import ObjectGraph

/// Writes the classes of a model file as Swift source.
@main struct Modelgen: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "modelgen",
        abstract: "Write the classes of a model file as Swift source.",
        discussion: """
            For each entity it writes a machine file, _Book.swift, in each run, and a human file, \
            Book.swift, once. A further file makes the model. Files that need no change are not \
            touched. The guide, Documentation/ModelGeneration.md, tells more.
            """)

    @Argument(help: "The model: .xcdatamodeld, .xcdatamodel, or compiled, .momd or .mom.")
    var model: String

    @Option(help: "The folder for the source files.")
    var output: String

    @Option(help: "The version of the model; the current one unless given.")
    var modelVersion: String?

    @Option(
        help: "A folder with machine.stencil, human.stencil or both, instead of the built-in ones.")
    var templates: String?

    @Flag(help: "Declare the classes as internal instead of public.")
    var `internal` = false

    @Flag(help: "Write nothing; end with 1 if a file is missing or out of date.")
    var check = false

    func run() throws {
        do {
            try generate()
        } catch let error as ExitCode {
            throw error
        } catch {
            StandardError.print("modelgen: \(error)")
            throw ExitCode(64)
        }
    }

    private func generate() throws {
        let file = URL(filePath: model)
        let model = try ManagedObjectModel(contentsOf: file, version: modelVersion)
        for warning in model.warnings {
            // The generated function asks for the transformers.
            if case .unknownTransformer = warning.reason { continue }
            StandardError.print("modelgen: warning: \(warning)")
        }
        let lines = try ModelLines(ModelFile(file).text(ofVersion: modelVersion))
        let access = `internal` ? "" : "public"
        let classes: [EntityClass]
        do {
            classes = try ClassesOfModel(model, access: access).classes
        } catch let error as ModelPartError { throw lines.located(error) }

        let isContents = file.lastPathComponent == "contents"
        let folder = isContents ? file.deletingLastPathComponent() : file
        let stem = folder.deletingPathExtension().lastPathComponent
        let function = SwiftName(functionNamed: stem) ?? SwiftName(functionNamed: "model")!
        let source = try SwiftModel(
            model, name: function, access: access,
            classes: Dictionary(uniqueKeysWithValues: classes.map { ($0.entity, $0.name) })
        ).source()

        let templates = try Templates(folder: templates.map { URL(filePath: $0) })
        var files = [
            GeneratedFile(
                name: "ManagedObjectModel+\(function.name).swift", text: source, isMachine: true)
        ]
        for type in classes {
            files.append(
                GeneratedFile(
                    name: "\(type.machineName).swift", text: try templates.machineFile(of: type),
                    isMachine: true))
            files.append(
                GeneratedFile(
                    name: "\(type.name).swift", text: try templates.humanFile(of: type),
                    isMachine: false))
        }
        let folderOfOutput = OutputFolder(URL(filePath: output), model: folder.lastPathComponent)
        let changes = try folderOfOutput.changes(to: files)
        if check {
            for line in changes.staleLines { StandardError.print("modelgen: \(line)") }
            guard changes.staleLines.isEmpty else { throw ExitCode(1) }
        } else {
            try changes.apply()
            for line in changes.lines { print(line) }
        }
    }
}

enum StandardError {
    static func print(_ text: String) {
        FileHandle.standardError.write(Data("\(text)\n".utf8))
    }
}
