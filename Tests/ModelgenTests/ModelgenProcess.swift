import Foundation
import TestSupport

/// A run of `modelgen`, which was built beside the tests.
struct ModelgenProcess {
    let exitCode: Int32
    let output: String
    let errors: String

    init(_ arguments: String...) throws {
        try self.init(
            Bundle.main.executableURL!.deletingLastPathComponent().appending(path: "modelgen"),
            arguments)
    }

    /// A run of another program.
    init(_ program: URL, _ arguments: [String]) throws {
        let folder = TemporaryFolder()
        let process = Process()
        process.executableURL = program
        process.arguments = arguments
        // Files, because a full pipe without a reader would block the program.
        for name in ["output", "errors"] { try Data().write(to: folder.url(name)) }
        process.standardOutput = try FileHandle(forWritingTo: folder.url("output"))
        process.standardError = try FileHandle(forWritingTo: folder.url("errors"))
        try process.run()
        process.waitUntilExit()
        exitCode = process.terminationStatus
        output = try String(contentsOf: folder.url("output"), encoding: .utf8)
        errors = try String(contentsOf: folder.url("errors"), encoding: .utf8)
    }
}

/// A folder with a model, whose entities begin on line 3, and with the files that are made of it.
final class GeneratedFolder {
    let temporary = TemporaryFolder()
    var model: String { temporary.path("My Model.xcdatamodel") }
    var output: URL { temporary.url("Sources") }

    init(_ entities: String) throws {
        try FileManager.default.createDirectory(
            atPath: model, withIntermediateDirectories: true)
        try write(entities)
    }

    /// Writes the model again.
    func write(_ entities: String) throws {
        let text = """
            <?xml version="1.0" encoding="UTF-8"?>
            <model type="com.apple.IDECoreDataModeler.DataModel">
            \(entities)
            </model>
            """
        try Data(text.utf8).write(to: temporary.url("My Model.xcdatamodel/contents"))
    }

    @discardableResult
    func generate(_ options: String...) throws -> ModelgenProcess {
        try ModelgenProcess(
            Bundle.main.executableURL!.deletingLastPathComponent().appending(path: "modelgen"),
            [model, "--output", output.path] + options)
    }

    func text(_ name: String) throws -> String {
        try String(contentsOf: output.appending(path: name), encoding: .utf8)
    }

    func write(_ text: String, to name: String) throws {
        try Data(text.utf8).write(to: output.appending(path: name))
    }

    var names: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: output.path).sorted() }
    }
}
