// Which column is which parameter and which result, once for all statements about items.
extension ItemRecord {
    /// The columns that an insert takes behind key, entity number and version.
    static let insertedColumns = [
        "ZNUMBER", "ZQUANTITY", "ZDELAYMINUTES", "ZPRICE", "ZCREATEDAT",
        "ZNAME", "ZMAKER", "ZCITY", "ZADDRESS", "ZNOTE",
    ]

    static let selection = (["Z_PK", "Z_OPT"] + insertedColumns).joined(separator: ", ")

    /// Reads a row of `selection`.
    @inline(__always)
    init(_ statement: borrowing CStatement) {
        self.init(
            key: statement.integer(0), number: statement.integer(2), price: statement.real(5),
            createdAt: statement.date(6),
            quantity: Int32(truncatingIfNeeded: statement.integer(3)),
            delayMinutes: statement.optionalInteger(4).map { Int32(truncatingIfNeeded: $0) },
            version: Int32(truncatingIfNeeded: statement.integer(1)), name: statement.text(7),
            maker: statement.text(8), city: statement.text(9), address: statement.text(10),
            note: statement.optionalText(11))
    }

    /// Binds a value for each of `insertedColumns`, the first at index 2, behind the key.
    @inline(__always)
    static func bind(_ item: ItemRow, to statement: inout CStatement) {
        statement.bind(item.number, 2)
        statement.bind(Int64(item.quantity), 3)
        statement.bind(item.delayMinutes.map { Int64($0) }, 4)
        statement.bind(item.price, 5)
        statement.bind(item.createdAt, 6)
        statement.bind(item.name, 7)
        statement.bind(item.maker, 8)
        statement.bind(item.city, 9)
        statement.bind(item.address, 10)
        statement.bind(item.note, 11)
    }
}
