/// A row of `ZPOST` as the peers read it.
struct PostRecord: Sendable {
    var key: Int64
    var version: Int64
    var number: Int64
    var text: String
    var sender: String
    /// Seconds since 2001.
    var sentAt: Double
    var isRead: Bool

    static let selection = "Z_PK, Z_OPT, ZNUMBER, ZTEXT, ZSENDER, ZSENTAT, ZISREAD"
}
