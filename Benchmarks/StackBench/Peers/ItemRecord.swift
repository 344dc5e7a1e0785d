import Foundation

/// A row of `ZITEM` as the peers read it: a struct whose fields are ordered for the least padding.
struct ItemRecord: ItemValues, Sendable {
    var key: Int64
    var number: Int64
    var price: Double
    var createdAt: Date
    var quantity: Int32
    var delayMinutes: Int32?
    var version: Int32
    var name: String
    var maker: String
    var city: String
    var address: String
    var note: String?

    /// The items whose notes contain a word. The search comes first, and the items are looked up.
    static let search = """
        SELECT \(selection) \
        FROM (SELECT rowid AS found FROM Z_FT_Item_words WHERE Z_FT_Item_words MATCH ?) \
        CROSS JOIN ZITEM ON Z_PK = found
        """

    /// What an upsert does with the stored item of the same number.
    static let upsertClause: String = {
        let columns = [
            "ZQUANTITY", "ZDELAYMINUTES", "ZPRICE", "ZCREATEDAT", "ZNAME", "ZMAKER", "ZCITY",
            "ZADDRESS", "ZNOTE",
        ]
        let changes = columns.map { "\($0) = excluded.\($0)" }.joined(separator: ", ")
        return " ON CONFLICT (ZNUMBER) DO UPDATE SET Z_OPT = Z_OPT + 1, \(changes)"
    }()
}

/// A row of `ZRACK` as the peers read it.
struct RackRecord: Sendable {
    var key: Int64
    var name: String
}
