#if PostgreSQL
import ObjectGraph

/// Places have names that indexes fold in two ways, and notes that no index folds.
func makeFoldedModel(
    _ foldings: [FetchIndexDescription.Folding] = [
        .caseInsensitive, .caseAndDiacriticInsensitive,
    ]
) throws -> ManagedObjectModel {
    func indexes(_ foldings: [FetchIndexDescription.Folding]) -> [FetchIndexDescription] {
        foldings.map {
            FetchIndexDescription("name\($0.rawValue)", elements: [.init("name", folding: $0)])
        }
    }
    return try ManagedObjectModel(entities: [
        EntityDescription(
            name: "Place",
            attributes: [
                AttributeDescription("name", .string), AttributeDescription("note", .string),
                AttributeDescription("number", .integer64),
            ],
            relationships: [.toOne("country", "Country", inverse: "places")],
            indexes: indexes(foldings)),
        EntityDescription(name: "City", superentity: "Place"),
        EntityDescription(
            name: "Country", attributes: [AttributeDescription("name", .string)],
            relationships: [.toMany("places", "Place", inverse: "country")],
            indexes: indexes(foldings)),
    ])
}

let foldedNames: [String?] = [
    nil, "", "a", "A", "ab", "AB c", "é", "É", "e\u{301}", "E\u{301}x", "straße", "STRASSE",
    "Straßenbahn", "ß", "ẞ", "SS", "İ", "i\u{307}", "ı", "I", "i", "ﬁ", "FI", "ﬁn", "ﬀ", "Ǆ",
    "\u{301}", "\u{301}\u{302}", "a\u{301}\u{323}", "ạ\u{301}", "ΣΊΣΥΦΟΣ", "σίσυφος", "日本",
    "100%", "a_b", "a\\b", "A*B", "\u{D7FF}", "\u{E000}", "\u{10FFFF}", "z", "Ö", "Österreich",
]
#endif
