import Foundation

/// The columns of a store whose values have a mark and may be in files (`ExternalData`).
///
/// A store's metadata list them by table and column, so that neither another model nor a tool
/// without one takes a mark for data.
struct ExternalColumns {
    /// The columns by table.
    let byTable: [String: [String]]

    init(_ names: [String]) {
        var byTable: [String: [String]] = [:]
        for name in names {
            let parts = name.split(separator: ".").map(String.init)
            // The names become part of SQL.
            guard parts.count == 2, parts.allSatisfy(ModelAssembly.isName) else { continue }
            byTable[parts[0], default: []].append(parts[1])
        }
        self.byTable = byTable
    }

    /// The temporary triggers of the writer that report which references a statement adds and
    /// drops. They see every way to write a row.
    var triggers: [String] {
        byTable.sorted { $0.key < $1.key }.flatMap { table, columns in
            func statements(_ row: String, _ change: Int) -> String {
                columns.map {
                    "SELECT \(ExternalData.noting)(\(row).\($0), \(change)) WHERE \(ExternalData.isReference("\(row).\($0)"));"
                }.joined(separator: " ")
            }
            let (drops, additions) = (statements("OLD", -1), statements("NEW", 1))
            let name = "OGExternal_\(table)"
            return [
                "CREATE TEMP TRIGGER \(name)_I AFTER INSERT ON main.\(table) BEGIN \(additions) END",
                "CREATE TEMP TRIGGER \(name)_U AFTER UPDATE OF \(columns.joined(separator: ", ")) ON main.\(table) BEGIN \(drops) \(additions) END",
                "CREATE TEMP TRIGGER \(name)_D AFTER DELETE ON main.\(table) BEGIN \(drops) END",
            ]
        }
    }

    /// The names of all files to which rows refer. Reads the tables, but no data in them.
    func references(on connection: Connection) throws -> Set<String> {
        var names: Set<String> = []
        for (table, columns) in byTable {
            for column in columns {
                let statement = try connection.statement(
                    "SELECT \(column) FROM \(table) WHERE \(ExternalData.isReference(column))")
                defer { statement.reset() }
                while try statement.step() {
                    if case .file(let name) = ExternalData.place(of: statement.value(at: 0).blob) {
                        names.insert(String(decoding: name, as: UTF8.self))
                    }
                }
            }
        }
        return names
    }
}
