// The order of columns, parameters and results, shared by all statements about items.
extension ItemRecord {
    /// The columns of an insert after key, entity number and version.
    static let insertedColumns = [
        "ZNUMBER", "ZQUANTITY", "ZDELAYMINUTES", "ZPRICE", "ZCREATEDAT",
        "ZNAME", "ZMAKER", "ZCITY", "ZADDRESS", "ZNOTE",
    ]

    /// From the last column to the first, so that SQLite reads a row's header only once.
    static let selection = (["Z_PK", "Z_OPT"] + insertedColumns).reversed().joined(separator: ", ")

    /// Reads a row of `selection`.
    @inline(__always)
    init(_ statement: borrowing CStatement) {
        self.init(
            key: statement.integer(11), number: statement.integer(9), price: statement.real(6),
            createdAt: statement.date(5),
            quantity: Int32(truncatingIfNeeded: statement.integer(8)),
            delayMinutes: statement.optionalInteger(7).map { Int32(truncatingIfNeeded: $0) },
            version: Int32(truncatingIfNeeded: statement.integer(10)), name: statement.text(4),
            maker: statement.text(3), city: statement.text(2), address: statement.text(1),
            note: statement.optionalText(0))
    }

    /// Binds a value for each of `insertedColumns`, the first at index 2, after the key.
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
