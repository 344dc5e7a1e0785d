/// Turns finished statements into the lines of `SQLDebug` (spec §12).
struct StatementLog: Sendable {
    let options: DebugOptions

    func write(_ event: FinishedStatement) {
        options.log("CoreData: sql: \(event.template)")
        if options.sqlLevel >= 2 {
            for (position, value) in event.arguments.enumerated() {
                options.log("CoreData: details: SQLite bind[\(position)] = \(value)")
            }
        }
        if options.sqlLevel == 2, event.isQuery {
            options.log("CoreData: details: \(event.template) returned \(event.rowCount) rows")
        }
        if options.sqlLevel >= 3, event.isQuery {
            let rows = event.rows.map { "(\($0.joined(separator: ", ")))" }
            options.log(
                "CoreData: details: \(event.template) returned \(event.rowCount) rows with values: \(rows.joined(separator: " "))"
            )
        }
        for step in event.plan { options.log("CoreData: details: query plan: \(step)") }
        options.annotate("sql connection fetch time: \(event.duration.inSeconds)")
    }
}
