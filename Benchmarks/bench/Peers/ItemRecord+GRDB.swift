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

    static var databaseSelection: [any SQLSelectable] {
        [
            Columns.key, Columns.version, Columns.number, Columns.quantity, Columns.delayMinutes,
            Columns.price, Columns.createdAt, Columns.name, Columns.maker, Columns.city,
            Columns.address, Columns.note,
        ]
    }

    /// Positions are those of `databaseSelection`.
    init(row: Row) {
        self.init(
            key: row[0], number: row[2], price: row[5],
            createdAt: Date(timeIntervalSinceReferenceDate: row[6]), quantity: row[3],
            delayMinutes: row[4], version: row[1], name: row[7], maker: row[8], city: row[9],
            address: row[10], note: row[11])
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

    /// An item to insert.
    init(_ item: ItemRow, key: Int64) {
        self.init(
            key: key, number: item.number, price: item.price, createdAt: item.createdAt,
            quantity: item.quantity, delayMinutes: item.delayMinutes, version: 1, name: item.name,
            maker: item.maker, city: item.city, address: item.address, note: item.note)
    }
}
