import Foundation

/// A sum over items.
struct ItemSum: Sendable {
    let name: String
    /// Nil for a sum that SQL cannot compute.
    let sql: String?
    let value: @Sendable (ItemRow) -> Int64

    static let count = ItemSum(name: "items", sql: "COUNT(*)") { _ in 1 }
    static let number = ItemSum(name: "numbers", sql: "SUM(ZNUMBER)") { $0.number }
    static let quantity = ItemSum(name: "quantities", sql: "SUM(ZQUANTITY)") {
        Int64($0.quantity)
    }

    /// The sum of what rows weigh.
    private static let weight = weighted("weights", "1") { _ in 1 }
    private static let weightedQuantity = weighted("weighted quantities", "ZQUANTITY") {
        Int64($0.quantity)
    }

    /// A sum for each column. Missing values change one, and values in a wrong column or row.
    static let columns = [
        count, number, weight, quantity, weightedQuantity,
        weighted("delays", "ZDELAYMINUTES") { Int64($0.delayMinutes ?? 0) },
        weighted("prices in cents", "CAST(round(ZPRICE * 100) AS INTEGER)") {
            Int64(($0.price * 100).rounded())
        },
        weighted("dates", "CAST(ZCREATEDAT AS INTEGER)") {
            Int64($0.createdAt.timeIntervalSinceReferenceDate)
        },
        text("names", "ZNAME") { $0.name }, text("makers", "ZMAKER") { $0.maker },
        text("cities", "ZCITY") { $0.city }, text("addresses", "ZADDRESS") { $0.address },
        text("notes", "ZNOTE") { $0.note },
    ]

    private static func weighted(
        _ name: String, _ sql: String, _ value: @escaping @Sendable (ItemRow) -> Int64
    ) -> ItemSum {
        ItemSum(name: name, sql: "SUM(\(sql) * \(RowWeight.sql(of: "ZNUMBER")))") {
            value($0) * RowWeight.value(of: $0.number)
        }
    }

    private static func text(
        _ name: String, _ column: String, _ value: @escaping @Sendable (ItemRow) -> String?
    ) -> ItemSum {
        weighted(name, "\(TextHash.sqlName)(\(column))") { TextHash.value(of: value($0)) }
    }

    /// Changes the facts of items to those of the same items with other quantities.
    ///
    /// - Parameter raise: what is added to the quantity of each.
    static func raiseQuantities(in facts: inout [String: Int64], by raise: Int) {
        for (sum, each) in [(quantity, count), (weightedQuantity, weight)] {
            facts[sum.name, default: 0] += Int64(raise) * (facts[each.name] ?? 0)
        }
    }

    /// The sum of an ``ItemChecksum`` over all properties.
    static let checksum = ItemSum(name: "checksum") { $0.add($1) }
    static let cityChecksum = ItemSum(name: "checksum of cities") { $0.add(city: $1.city) }
    /// The same over the items that the search of the engine's table finds.
    static let searchedChecksum = ItemSum(name: "checksum of searched items") {
        if ItemText.isSearched($1.number) { $0.add($1) }
    }

    private init(
        name: String, adding add: @escaping @Sendable (inout ItemChecksum, ItemRow) -> Void
    ) {
        self.init(name: name, sql: nil) { item in
            var checksum = ItemChecksum()
            add(&checksum, item)
            return Int64(bitPattern: checksum.sum)
        }
    }

    private init(name: String, sql: String?, value: @escaping @Sendable (ItemRow) -> Int64) {
        self.name = name
        self.sql = sql
        self.value = value
    }

    static func facts(of items: [ItemRow]) -> [String: Int64] {
        let sums = columns + [checksum, cityChecksum, searchedChecksum]
        var totals = sums.map { _ in Int64(0) }
        // One pass over the items: a pass per sum would copy each item and its strings once per
        // sum.
        for item in items {
            for index in sums.indices { totals[index] &+= sums[index].value(item) }
        }
        return Dictionary(uniqueKeysWithValues: zip(sums.map(\.name), totals))
    }
}
