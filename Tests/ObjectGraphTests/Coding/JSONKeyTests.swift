import Foundation
import TestSupport
import Testing

@testable import ObjectGraph

@Suite struct `Keys of JSON objects (§2.14)` {
    private static let repeated: [(String, CodingRefusal)] = [
        (#"[{"code": 1, "price": 2, "code": 3}]"#, CodingRefusal("0.code", nil)),
        (#"{"code": 1, "code": 1}"#, CodingRefusal("code", nil)),
        (
            #"[{"code": 1}, {"code": 2, "labels": [{"name": "a"}, {"name": "b", "name": "c"}]}]"#,
            CodingRefusal("1.labels.1.name", nil)
        ),
        (#"[{"maker": {"name": "a"}, "code": 1, "maker": null}]"#, CodingRefusal("0.maker", nil)),
        (#"[[], [{"a": {"b": 1, "b": {"c": []}}}]]"#, CodingRefusal("1.0.a.b", nil)),
        // An escape, and the same character in one and in two code points.
        (#"[{"code": 1, "c\u006fde": 2}]"#, CodingRefusal("0.code", nil)),
        ("[{\"\u{E9}\": 1, \"e\u{301}\": 2}]", CodingRefusal("0.\u{E9}", nil)),
        (#"[{"a\"b": 1, "a\"b": 2}]"#, CodingRefusal(#"0.a"b"#, nil)),
        (#"[{"": 1, "": 2}]"#, CodingRefusal("0.", nil)),
    ]

    @Test(arguments: repeated)
    func `a repeated key is refused with its path (§2.14.16)`(
        _ json: String, _ expected: CodingRefusal
    ) throws {
        let error = #expect(throws: DecodingError.self) {
            try JSONDecoder.requireUniqueKeys(in: Data(json.utf8))
        }
        #expect(error.map(CodingRefusal.init) == expected)
    }

    @Test(arguments: [
        #"[{"code": 1}, {"code": 1, "maker": {"code": 1}}, {"a": {"a": ["a", "a", {"a": 1}]}}]"#,
        #"[{"text": "\"code\": 1, \"code\": 2, {", "code": "text"}]"#, "", "[]", "{}", "17",
        "\"text\"", #"["a", "a"]"#, "\u{FEFF}[{\"a\": 1}]",
    ])
    func `keys of different objects, and texts, are no repetitions (§2.14.16)`(
        _ json: String
    ) throws {
        try JSONDecoder.requireUniqueKeys(in: Data(json.utf8))
    }

    @Test func `without the check the first value counts (§2.14.16)`() throws {
        try StoreFixture.shop().run { context in
            let makers = try context.decode(
                Shop.Maker.self, #"[{"name": "a", "motto": "first", "motto": "last"}]"#)
            #expect(makers[0][Shop.Maker.motto] == "first")
        }
    }

    @Test(arguments: [String.Encoding.utf16, .utf16LittleEndian, .utf16BigEndian, .utf32])
    func `text that is not UTF-8 is refused, not passed (§2.14.16)`(
        _ encoding: String.Encoding
    ) throws {
        let data = try #require(#"{"a": 1, "a": 2}"#.data(using: encoding))
        #expect(throws: DecodingError.self) { try JSONDecoder.requireUniqueKeys(in: data) }
    }

    @Test func `malformed and deep text is left to the decoder (§2.14.16)`() throws {
        let whole = Array(#"[{"code": 1, "labels": [{"name": "\u0061\\"}], "maker": null}]"#.utf8)
        for length in 0...whole.count {
            try JSONDecoder.requireUniqueKeys(in: Data(whole.prefix(length)))
            try JSONDecoder.requireUniqueKeys(in: Data(whole.suffix(length)))
        }
        let deep = String(repeating: #"{"a":["#, count: 10_000)
        try JSONDecoder.requireUniqueKeys(in: Data(deep.utf8))
        let error = #expect(throws: DecodingError.self) {
            try JSONDecoder.requireUniqueKeys(in: Data((deep + #"{"b":1,"b":2"#).utf8))
        }
        #expect(error.map { CodingRefusal($0).path.hasSuffix(".a.0.b") } == true)
    }

    /// Texts that JSON allows and no attribute takes, or that it does not allow.
    private static let unusable: [(String, String)] = [
        (String(repeating: "[", count: 10_000), ""),
        (String(repeating: "[", count: 10_000) + String(repeating: "]", count: 10_000), ""),
        (String(repeating: #"[{"labels":"#, count: 10_000), ""),
        (#"[{"code": 1e400}]"#, "0.code"), (#"[{"code": -1e400}]"#, "0.code"),
        (#"[{"code": \#(String(repeating: "9", count: 10_000))}]"#, "0.code"),
        (#"[{"code": 1, "price": 1e999999999}]"#, "0.price"),
        (#"[{"entity": "Disc", "code": 1, "seconds": 70000}]"#, "0.seconds"),
        (#"[{"code": 01}]"#, "0.code"), (#"[{"code": NaN}]"#, ""),
    ]

    @Test(arguments: unusable)
    func `deep and huge values are refused with a path, the context is as before (§2.14.7)`(
        _ json: String, _ path: String
    ) throws {
        try StoreFixture.shop().run { context in
            let refusal = context.refusal(Shop.Item.self, json)
            #expect(refusal?.path == path)
            #expect(!context.hasChanges && context.registeredObjects.isEmpty)
        }
    }
}
