import Foundation
import PackagePlugin

/// `swift package generate-model App.xcdatamodeld --output Sources/Model`: runs modelgen in the
/// folder of the package.
@main struct GenerateModel: CommandPlugin {
    func performCommand(context: PluginContext, arguments: [String]) throws {
        let process = Process()
        process.executableURL = try context.tool(named: "modelgen").url
        process.arguments = arguments
        process.currentDirectoryURL = context.package.directoryURL
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            Diagnostics.error("modelgen ended with \(process.terminationStatus).")
            return
        }
    }
}
