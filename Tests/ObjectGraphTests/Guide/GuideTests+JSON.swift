import Foundation
import ObjectGraph
import Testing

extension `Guide` {
    @Test func `objects are decoded and encoded`() throws {
        let json = #"[{"name": "Stanisław Lem", "books": [{"title": "Solaris", "year": 1961}]}]"#
        let data = Data(json.utf8)
        try run { context in
            let decoder = JSONDecoder()
            decoder.userInfo[.managedObjectContext] = context
            let authors = try decoder.decode(ManagedList<Author>.self, from: data).objects
            try context.save()

            let encoder = JSONEncoder()
            encoder.userInfo[.relationshipDepth] = 1
            let text = try encoder.encode(ManagedList(authors))

            #expect(authors.map(\.name) == ["Stanisław Lem"] && authors[0].books[0].year == 1961)
            #expect(String(decoding: text, as: UTF8.self).contains(#""title":"Solaris""#))
            let again = try decoder.decode(ManagedList<Author>.self, from: data).objects
            #expect(again == authors)
        }
    }
}
