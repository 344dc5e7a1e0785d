import ArgumentParser
import Measuring

/// Compares a store with a model.
struct SchemaCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "schema", abstract: "Compare a store with a model.",
        discussion: """
            Lists what differs between the model that the store holds and the model of a file, and \
            which entities need a migration. Without --model it checks that the tables of the store \
            hold its own model. Ends with 0 if nothing differs, otherwise with 16. Changes no file.
            """)

    @Argument(help: "The store.", completion: .file())
    var store: String

    @Option(help: "A model file, or another store.", completion: .file())
    var model: String?

    @Option(help: "The version of the model file; the current one unless given.")
    var modelVersion: String?

    @Flag(help: "Print the differences as a table of Markdown.")
    var markdown = false

    func run() throws {
        let named = try NamedModel(store, usesDefaults: false)
        guard named.isStore else {
            throw BenchFailure(exitCode: .usage, message: "\(store) is not a store")
        }
        guard let model else { return try checkTables(of: named) }
        let other = try NamedModel(model, version: modelVersion, usesDefaults: false)
        let comparison = SchemaComparison(store: named.model, model: other.model)
        print(comparison.verdict)
        guard !comparison.differences.isEmpty else { return }
        print("\n\(markdown ? comparison.table.markdown : comparison.table.terminalText())")
        throw BenchFailure(exitCode: .difference, message: "\(store) differs from \(model)")
    }

    private func checkTables(of named: NamedModel) throws {
        do {
            _ = try StoreSizes(of: named.url, named.model)
        } catch {
            throw BenchFailure(
                exitCode: .difference,
                message: "the tables of \(store) do not hold its own model: \(error)")
        }
        print("The tables hold the store's model.")
    }
}
