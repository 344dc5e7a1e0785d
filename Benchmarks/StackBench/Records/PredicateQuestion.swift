/// A question about the flights, as an engine predicate and as the same condition in SQL.
struct PredicateQuestion: Sendable, Hashable, Codable {
    /// The name in workload files.
    var id: String
    var title: String
    /// A format string for `ObjectPredicate`, with its arguments written out.
    var format: String
    /// The condition that peers use and that all answers are checked with.
    var sqlCondition: String

    static func identified(by id: String) -> PredicateQuestion? {
        all.first { $0.id == id }
    }

    static let all = termOrder + [number] + ladder

    /// Does the order of terms matter if one is cheap and one expensive?
    private static let termOrder = [
        PredicateQuestion(
            id: "number-first", title: "long flights of a plane, number first",
            format: #"distance > 2000 AND tailNumber CONTAINS "25""#,
            sqlCondition: "ZDISTANCE > 2000 AND instr(ZTAILNUMBER, '25') > 0"),
        PredicateQuestion(
            id: "text-first", title: "long flights of a plane, text first",
            format: #"tailNumber CONTAINS "25" AND distance > 2000"#,
            sqlCondition: "instr(ZTAILNUMBER, '25') > 0 AND ZDISTANCE > 2000"),
    ]

    /// The base of the ladder: finds about as many flights by a number.
    private static let number = PredicateQuestion(
        id: "number", title: "flight number 725", format: "flightNumber == 725",
        sqlCondition: "ZFLIGHTNUMBER = 725")

    /// What does each kind of text comparison cost? All but the first find about as many flights.
    /// The tail numbers are ASCII, so that SQL's case folding equals `[cd]`.
    private static let ladder = [
        step(
            "equal", #"= "N725MQ""#, "= 'N725MQ'",
            folded: #"=[cd] "n725mq""#, "= 'n725mq' COLLATE NOCASE"),
        step(
            "begins-with", #"BEGINSWITH "N725M""#, "GLOB 'N725M*'",
            folded: #"BEGINSWITH[cd] "n725m""#, "LIKE 'n725m%'"),
        step(
            "ends-with", #"ENDSWITH "25MQ""#, "GLOB '*25MQ'",
            folded: #"ENDSWITH[cd] "25mq""#, "LIKE '%25mq'"),
        step(
            "contains", #"CONTAINS "725M""#, "GLOB '*725M*'",
            folded: #"CONTAINS[cd] "725m""#, "LIKE '%725m%'"),
        step(
            "like", #"LIKE "N?25M*""#, "GLOB 'N?25M*'",
            folded: #"LIKE[cd] "n?25m*""#, "LIKE 'n_25m%'"),
        step(
            "matches", #"MATCHES "N[0-9]25M.*""#, "GLOB 'N[0-9]25M*'",
            folded: #"MATCHES[cd] "n[0-9]25m.*""#, "upper(ZTAILNUMBER) GLOB 'N[0-9]25M*'"),
    ].flatMap(\.self)

    /// One comparison of the tail number, plain and with `[cd]`.
    private static func step(
        _ id: String, _ comparison: String, _ sql: String,
        folded foldedComparison: String, _ foldedSQL: String
    ) -> [PredicateQuestion] {
        let column = "ZTAILNUMBER "
        return [
            PredicateQuestion(
                id: id, title: "tail number \(comparison)", format: "tailNumber \(comparison)",
                sqlCondition: column + sql),
            PredicateQuestion(
                id: id + "-cd", title: "tail number \(foldedComparison)",
                format: "tailNumber \(foldedComparison)",
                sqlCondition: foldedSQL.hasPrefix("upper") ? foldedSQL : column + foldedSQL),
        ]
    }
}
