/// The FTS5 table of a full-text index, with the triggers that keep it up to date (spec §7.9).
///
/// It keeps no copy of the texts: it reads them from the entity's table when a snippet needs them.
/// An entity that shares its table with others has a view of its own rows for this.
struct FullTextTable {
    let name: String

    private let index: FullTextIndex
    private let layout: StoreLayout
    private let content: String
    private let columns: [String]

    init(_ index: FullTextIndex, _ layout: StoreLayout) {
        self.index = index
        self.layout = layout
        name = "Z_FT_\(index.entity.name)_\(index.name)"
        content =
            index.entity.rootIndex == index.entity.index
            ? layout.table(of: index.entity) : name + "_CONTENT"
        columns = index.properties.map { layout.column(of: $0) }
    }

    /// The statement that creates the table. A file has the index in its present form if it has a
    /// table with this statement.
    var creation: String {
        "CREATE VIRTUAL TABLE \(name) USING fts5(\(columns.joined(separator: ", ")), content='\(content)', content_rowid='Z_PK', tokenize='unicode61 remove_diacritics 2')"
    }

    /// The statements that create the view, the table and the triggers.
    var statements: [String] {
        let table = layout.table(of: index.entity)
        let isShared = content != table
        let family = layout.numbers(of: index.entity.familyIndexes).map(String.init)
            .joined(separator: ", ")
        let list = columns.joined(separator: ", ")
        func condition(_ row: String) -> String? {
            isShared ? "\(row)Z_ENT IN (\(family))" : nil
        }
        func values(_ row: String) -> String {
            (["Z_PK"] + columns).map { "\(row).\($0)" }.joined(separator: ", ")
        }
        func trigger(_ event: String, _ conditions: [String?], _ body: String...) -> String {
            let terms = conditions.compactMap(\.self)
            let condition = terms.isEmpty ? "" : "WHEN \(terms.joined(separator: " AND ")) "
            let suffix = event.prefix { $0 != " " }
            return
                "CREATE TRIGGER \(name)_\(suffix) AFTER \(event) ON \(table) \(condition)BEGIN \(body.joined(separator: "; ")); END"
        }
        let insertion = "INSERT INTO \(name) (rowid, \(list)) VALUES (\(values("NEW")))"
        // FTS5 finds the words to remove in the old texts.
        let deletion =
            "INSERT INTO \(name) (\(name), rowid, \(list)) VALUES ('delete', \(values("OLD")))"
        let differs = columns.map { "OLD.\($0) IS NOT NEW.\($0)" }.joined(separator: " OR ")
        let view =
            "CREATE VIEW \(content) AS SELECT Z_PK, \(list) FROM \(table) WHERE \(condition("") ?? "")"
        return (isShared ? [view] : []) + [
            creation,
            trigger("INSERT", [condition("NEW.")], insertion),
            trigger(
                "UPDATE OF \(list)", [condition("NEW."), "(\(differs))"], deletion, insertion),
            trigger("DELETE", [condition("OLD.")], deletion),
        ]
    }

    /// The condition for rows that match a search.
    ///
    /// - Parameter alias: The table's name in the statement, with a dot; empty for its own.
    func match(_ search: TextSearch, alias: String, to text: inout SQLText) {
        text.append("\(alias)\(name) MATCH ")
        let columns = search.properties.map { layout.column(of: $0) }
        let expression = search.query.expression
        let isWhole = columns == self.columns
        text.bind(
            .text(isWhole ? expression : "{\(columns.joined(separator: " "))} : (\(expression))"))
    }
}
