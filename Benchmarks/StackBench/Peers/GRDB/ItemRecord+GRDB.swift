import Foundation
import GRDB

extension ItemRecord: FetchableRecord, PersistableRecord {
    static let databaseTableName = "ZITEM"

    enum Columns {
        static let key = Column("Z_PK")
        static let version = Column("Z_OPT")
        static let number = Column("ZNUMBER")
        static let quantity = Column("ZQUANTITY")
        static let delayMinutes = Column("ZDELAYMINUTES")
        static let price = Column("ZPRICE")
        static let createdAt = Column("ZCREATEDAT")
        static let name = Column("ZNAME")
        static let maker = Column("ZMAKER")
        static let city = Column("ZCITY")
        static let address = Column("ZADDRESS")
        static let note = Column("ZNOTE")
    }

    /// From the last column to the first, so that SQLite reads a row's header only once.
    static var databaseSelection: [any SQLSelectable] {
        [
            Columns.note, Columns.address, Columns.city, Columns.maker, Columns.name,
            Columns.createdAt, Columns.price, Columns.delayMinutes, Columns.quantity,
            Columns.number, Columns.version, Columns.key,
        ]
    }

    /// Decodes by the positions in `databaseSelection`.
    init(row: Row) {
        self.init(
            key: row[11], number: row[9], price: row[6],
            createdAt: Date(timeIntervalSinceReferenceDate: row[5]), quantity: row[8],
            delayMinutes: row[7], version: row[10], name: row[4], maker: row[3], city: row[2],
            address: row[1], note: row[0])
    }

    func encode(to container: inout PersistenceContainer) {
        container[Columns.key] = key
        container["Z_ENT"] = EntityNumber.item
        container[Columns.version] = version
        container[Columns.number] = number
        container[Columns.quantity] = quantity
        container[Columns.delayMinutes] = delayMinutes
        container[Columns.price] = price
        container[Columns.createdAt] = createdAt.timeIntervalSinceReferenceDate
        container[Columns.name] = name
        container[Columns.maker] = maker
        container[Columns.city] = city
        container[Columns.address] = address
        container[Columns.note] = note
    }

    static let insertion = insertion()
    static let upsert = insertion(conflictClause: upsertClause)
    static let insertionInRack = insertion(beside: ["ZRACK"])

    private static func insertion(
        beside columns: [String] = [], conflictClause: String = ""
    ) -> GRDBInsertion {
        GRDBInsertion(
            entity: "Item", number: EntityNumber.item, columns: insertedColumns + columns,
            conflictClause: conflictClause)
    }

    /// The key, and a value for each of `insertedColumns`.
    static func arguments(_ item: ItemRow, key: Int64) -> StatementArguments {
        [
            key, item.number, item.quantity, item.delayMinutes, item.price,
            item.createdAt.timeIntervalSinceReferenceDate, item.name, item.maker, item.city,
            item.address, item.note,
        ]
    }

    init(_ item: ItemRow, key: Int64) {
        self.init(
            key: key, number: item.number, price: item.price, createdAt: item.createdAt,
            quantity: item.quantity, delayMinutes: item.delayMinutes, version: 1, name: item.name,
            maker: item.maker, city: item.city, address: item.address, note: item.note)
    }
}

/// An item to insert with the name of its picture's file.
struct PicturedItemRecord: PersistableRecord {
    static let databaseTableName = ItemRecord.databaseTableName
    var item: ItemRecord
    var reference: Data

    func encode(to container: inout PersistenceContainer) {
        item.encode(to: &container)
        container["ZPICTURE"] = reference
    }
}

extension RackRecord: FetchableRecord, PersistableRecord {
    static let databaseTableName = "ZRACK"

    static var databaseSelection: [any SQLSelectable] { [Column("Z_PK"), Column("ZNAME")] }

    init(row: Row) { self.init(key: row[0], name: row[1]) }

    func encode(to container: inout PersistenceContainer) {
        container["Z_PK"] = key
        container["Z_ENT"] = EntityNumber.rack
        container["Z_OPT"] = 1
        container["ZNAME"] = name
    }
}
