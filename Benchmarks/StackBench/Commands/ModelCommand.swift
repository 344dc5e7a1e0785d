import ArgumentParser
import Foundation
import Measuring
import ModelSource
import ObjectGraph

/// Prints a model, or what a migration to it does.
struct ModelCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "model", abstract: "Print the model of a model file or of a store.",
        discussion: """
            Reads .xcdatamodeld, .xcdatamodel, .momd, .mom, and stores that hold their model. As \
            text, the model of a store comes with its numbers of rows. Swift source can be written, \
            but not read: a program makes its model itself. With --since, it prints instead what a \
            migration from an earlier model does and costs: what becomes of each table, with rows \
            and bytes if there is a store, and of each property, or every change that cannot be \
            inferred. Changes no file.
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

    @Option(
        help: "A store of the earlier model, whose rows are counted. Not needed if --since is one.",
        completion: .file())
    var store: String?

    func validate() throws {
        guard store == nil || since != nil else {
            throw ValidationError("--store needs --since: it says what a migration of it costs")
        }
    }

    func run() throws {
        let named = try NamedModel(path, version: modelVersion, usesDefaults: true)
        if let since {
            return try printMigration(from: NamedModel(since, usesDefaults: false), to: named)
        }
        do {
            switch form {
            case .text: print(ModelText(model: named.model, sizes: sizes(of: named)))
            case .swift: print(try SwiftModel(named.model, name: named.functionName).source())
            case .xcdatamodel: print(try named.model.xcdatamodelContents())
            }
        } catch { throw BenchFailure(exitCode: .usage, message: "\(path): \(error)") }
    }

    private func printMigration(from earlier: NamedModel, to named: NamedModel) throws {
        do throws(MigrationError) {
            let mapping = try MappingModel.inferred(from: earlier.model, to: named.model)
            let cost = try MigrationCost(from: earlier.model, to: named.model)
            print("\(CostText(cost: cost, sizes: tableSizes(earlier)))\n")
            print(MappingText(mapping: mapping))
        } catch {
            throw BenchFailure(exitCode: .usage, message: "\(path): \(error.asLines)")
        }
    }

    /// Nil without a store, and for one that cannot be read.
    private func tableSizes(_ earlier: NamedModel) -> TableSizes? {
        guard let file = store.map({ URL(filePath: $0) }) ?? (earlier.isStore ? earlier.url : nil)
        else { return nil }
        do {
            return try TableSizes(of: file)
        } catch {
            StandardError.print("bench: the rows of \(file.path) cannot be counted: \(error)")
            return nil
        }
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

extension MigrationError {
    /// The error with a line for each change that cannot be inferred.
    fileprivate var asLines: String {
        guard case .notInferable(let obstacles) = reason else { return description }
        let lines = obstacles.map { "\n  \($0)" }.joined()
        return "the store cannot be migrated without a mapping:\(lines)"
    }
}
