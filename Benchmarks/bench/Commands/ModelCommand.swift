import ArgumentParser
import Benchmarking
import ModelSource
import ObjectGraph

/// Prints a model, or what a migration to it does.
struct ModelCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "model", abstract: "Print the model of a model file or of a store.",
        discussion: """
            Reads .xcdatamodeld, .xcdatamodel, .momd, .mom, and stores that hold their model. As \
            text, the model of a store comes with its numbers of rows. Swift source can be written, \
            but not read: a program makes its model itself. With --since, it prints instead what \
            becomes of the rows of an earlier model, or why that cannot be inferred.
            """)

    enum Form: String, ExpressibleByArgument, CaseIterable {
        case text, swift, xcdatamodel
    }

    @Argument(help: "The model file or the store.", completion: .file())
    var path: String

    @Option(
        name: .customLong("as"),
        help: "Tables, Swift source, or the file contents of an .xcdatamodel.")
    var form = Form.text

    @Option(help: "The version of a model file; the current one unless given.")
    var modelVersion: String?

    @Option(
        help: "An earlier model file, or a store: prints what a migration from it does.",
        completion: .file())
    var since: String?

    func run() throws {
        let named = try NamedModel(path, version: modelVersion)
        if let since { return try printMapping(from: NamedModel(since), to: named) }
        do {
            switch form {
            case .text: print(ModelText(model: named.model, sizes: sizes(of: named)))
            case .swift: print(try SwiftModel(named.model, name: named.functionName).source())
            case .xcdatamodel: print(try named.model.xcdatamodelContents())
            }
        } catch { throw CommandFailure(exitCode: .usage, message: "\(path): \(error)") }
    }

    private func printMapping(from earlier: NamedModel, to named: NamedModel) throws {
        do throws(MigrationError) {
            let mapping = try MappingModel.inferred(from: earlier.model, to: named.model)
            print(MappingText(mapping: mapping))
        } catch { throw CommandFailure(exitCode: .usage, message: "\(path): \(error)") }
    }

    /// Nil for a model file, and for a store that cannot be opened.
    private func sizes(of named: NamedModel) -> StoreSizes? {
        guard named.isStore else { return nil }
        do {
            return try StoreSizes(of: named.url, named.model)
        } catch {
            StandardError.print("bench: the rows of \(path) cannot be counted: \(error)")
            return nil
        }
    }
}
