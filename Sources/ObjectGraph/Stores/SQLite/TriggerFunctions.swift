/// The functions that triggers in stores of Core Data call for each row that they change (spec
/// §8.4). Without them, no write to their tables would succeed.
enum TriggerFunctions {
    private static let names = [
        "NSCoreDataDATriggerUpdatedAffectedObjectValue",
        "NSCoreDataDATriggerInsertUpdatedAffectedObjectValue",
        "NSCoreDataTriggerUpdateAffectedObjectValue",
    ]

    static func register(on connection: Connection) throws(SQLiteError) {
        for name in names {
            try connection.register(function: name, argumentCount: 5, deterministic: false) { _ in
                .null
            }
        }
    }
}
