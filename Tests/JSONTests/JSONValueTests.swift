@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonJSON
import Foundation
import Testing

@Suite("Small JSON values")
struct JSONValueTests {
    @Test(
        "Only JSON is read, with nothing behind the value",
        arguments: [
            "", " ", "[", "[1", "[1,]", "[,1]", "[1 2]", "{\"a\":}", "{\"a\":1,}", "{\"a\" 1}", "{a:1}", "{'a':1}",
            "{1:1}", "'a'",
            "\"", "\"\\x41\"", "\"\\v\"", "\"\\0\"", "\"\\'\"", "\"\\\n\"", "\"\\u12\"", "\"\\u12G4\"", "\"\\ud800\"",
            "\"\\udc00\"", "\"\\ud800\\u0041\"", "\"a\nb\"", "\"a\tb\"", "\"a\u{0}b\"", "nul", "nullx", "True", "NaN",
            "-Infinity",
            "[] []", "--1", "+1", "01", "-", ".5", "5.", "1e", "1e+", "0x10", "1_000", "// a\n1", "1 /* a */", "1\u{B}",
            "1\u{A0}",
            "\u{FEFF}1", "{\"a\":1,\"a\":2}", "{\"a\":1,\"\\u0061\":2}", String(repeating: "[", count: 100_000),
            String(repeating: "[", count: 65) + String(repeating: "]", count: 65),
        ]
    )
    func refused(text: String) {
        #expect(JSONValue(text) == nil)
    }

    @Test(
        "JSON of other programs is read",
        arguments: [
            (" [ -1 , \"\\u00e9\\ud83c\\udf88\\/\\b\" ]\n", .array([.integer(-1), .string("é🎈/\u{8}")])),
            ("{ \"a\" : [ ] , \"b\" : { } }", .object(["a": .array([]), "b": .object([:])])),
            ("\t[null,\r\n true, false]", .array([.null, .truth(true), .truth(false)])),
            ("9223372036854775807", .integer(.max)), ("-9223372036854775808", .integer(.min)), ("-0", .integer(0)),
            ("99999999999999999999", .number(1e20)), ("1.5", .number(1.5)), ("1.0", .number(1)),
            ("-2E-3", .number(-0.002)),
            ("\"\u{7F}\u{2028}é\"", .string("\u{7F}\u{2028}é")),
        ] as [(String, JSONValue)]
    )
    func read(text: String, value: JSONValue) {
        #expect(JSONValue(text) == value)
    }

    @Test("An array is read as strings or whole numbers only if all elements are such")
    func elements() {
        #expect(JSONValue.array([.string("a"), .string("")]).strings == ["a", ""])
        #expect(JSONValue.array([.string("a"), .integer(1)]).strings == nil)
        #expect(JSONValue.array([.integer(1), .integer(-2)]).integers == [1, -2])
        #expect(JSONValue.array([.integer(1), .number(2.5)]).integers == nil)
        #expect(JSONValue.array([]).strings == [] && JSONValue.array([]).integers == [])
        #expect(JSONValue.string("a").strings == nil && JSONValue.object([:]).integers == nil)
    }

    @Test("Equal values have equal texts, without white space and with sorted keys")
    func text() {
        let value = JSONValue.object([
            "b": .array([.null, .truth(true), .number(0.5)]), "a": .string("\"\\\n\r\t\u{1}é"), "": .object([:]),
        ])
        #expect(value.text == #"{"":{},"a":"\"\\\n\r\t\u0001é","b":[null,true,0.5]}"#)
    }

    @Test(
        "Values survive being written and read, here and by another reader",
        arguments: 1...200 as ClosedRange<UInt64>
    )
    func roundTrip(seed: UInt64) throws {
        var random = SplitMix(seed: seed)
        let value = Self.value(depth: 0, &random)
        let text = value.text
        #expect(JSONValue(text) == value)
        #expect(JSONValue(text)?.text == text)
        _ = try JSONSerialization.jsonObject(with: Data(text.utf8), options: .fragmentsAllowed)
    }

    private static func value(depth: Int, _ random: inout SplitMix) -> JSONValue {
        switch Int.random(in: 0..<(depth < 5 ? 7 : 5), using: &random) {
        case 0: .null
        case 1: .truth(Bool.random(using: &random))
        case 2: .integer(Int64.random(in: .min ... .max, using: &random))
        case 3: .number(Double.random(in: -1e9...1e9, using: &random) + 0.123)
        case 4: .string(text(&random))
        case 5: .array((0..<Int.random(in: 0...4, using: &random)).map { _ in value(depth: depth + 1, &random) })
        default:
            .object(
                Dictionary(
                    (0..<Int.random(in: 0...40, using: &random)).map { _ in
                        (text(&random), value(depth: depth + 3, &random))
                    },
                    uniquingKeysWith: { $1 }
                )
            )
        }
    }

    private static func text(_ random: inout SplitMix) -> String {
        let scalars: [Unicode.Scalar] = ["a", "b", "\"", "\\", "\n", "\0", "\u{1F}", "é", "🎈", "\u{FFFF}", "/"]
        var text = ""
        for _ in 0..<Int.random(in: 0...6, using: &random) {
            text.unicodeScalars.append(scalars.randomElement(using: &random) ?? "a")
        }
        return text
    }
}
