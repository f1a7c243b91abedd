@_spi(Baton) import BatonJSON
import Testing

@Suite("Reading JSON and JSON5")
struct JSONTreeTests {
    /// The compact form of a text, or the offset and sentence of the error.
    private func compact(_ text: [UInt8], _ dialect: JSONDialect = .json5, part: String = "file") -> String {
        var tree = JSONTree(bytes: text, dialect: dialect, partName: part)
        do {
            return try tree.parse(0..<text.count) ? tree.compactText(of: 0) : ""
        } catch {
            return "\(error.offset): \(error.message)"
        }
    }

    private func compact(_ text: String, part: String = "file") -> String { compact(Array(text.utf8), part: part) }

    @Test(
        "JSON5 becomes JSON, in the order of the text",
        arguments: [
            ("", ""), (" // nothing\n/* at all */", ""),
            ("{b: 1, 'a': [true, false, null,], \"c\": {},}", #"{"b":1,"a":[true,false,null],"c":{}}"#),
            (
                "[1.50, -0, 1e3, +1, .5, 5., 0x1F, -0x10, 123456789012345678901]",
                "[1.50,-0,1e3,1,0.5,5,31,-16,123456789012345678901]"
            ),
            (#"['it\'s', "\x41\u00e9\ud83d\ude00\v\0"]"#, #"["it's","Aé😀\u000b\u0000"]"#),
            ("'a\\\nb\\\r\nc'", #""abc""#), ("'\\q\\\u{2028}'", #""q""#),
            ("\u{FEFF}\u{A0}\u{C}{ é_$1 : 'x' }\u{2003}", #"{"é_$1":"x"}"#),
        ]
    )
    func json5(text: String, expected: String) {
        #expect(compact(text) == expected)
    }

    @Test(
        "An error has the offset of the first invalid byte",
        arguments: [
            ("[1", #"2: expected "," or "]", found the end of the file; the array that starts at 1:1 is not closed"#),
            ("{a 1}", #"3: expected ":" after the key, found "1""#),
            ("[yes]", #"1: yes is no value; put strings in quotes: "yes""#),
            ("[012]", "1: 012 is not a number; put strings in quotes"),
            (#"["\u12"]"#, #"2: \x takes two hexadecimal digits and \u takes four"#),
            (#"["\ud800"]"#, "2: the escape is half of a pair, and the other half is missing"),
            ("{a: 1, 'a': 2}", #"7: the key "a" stands here twice, first on line 1"#),
            ("[Infinity]", "1: Infinity is a number that JSON does not have"),
            ("1 2", #"2: expected the end of the file, found "2""#),
            ("/* ", "0: the comment is not closed"),
        ]
    )
    func errors(text: String, expected: String) {
        #expect(compact(text) == expected)
    }

    @Test("Errors in a line give columns only")
    func lines() {
        #expect(compact("{a: 1, a: 2}", part: "line") == #"7: the key "a" stands here twice, first at column 2"#)
    }

    @Test("Invalid UTF-8 is refused in strings, and outside them", arguments: [JSONDialect.json, .json5])
    func invalidText(dialect: JSONDialect) {
        #expect(compact([0x5B, 0x22, 0xFF, 0x22, 0x5D], dialect) == "1: the text is not valid UTF-8")
        #expect(compact([0xFF], dialect) == "0: expected a value, found a byte that is no text")
    }

    @Test("A part of a text is parsed by itself, with offsets in the text")
    func parts() throws {
        let text = Array("{a: 1}\n{a: [2, x]}".utf8)
        var tree = JSONTree(bytes: text, partName: "line")
        #expect(try tree.parse(0..<6))
        #expect(try tree.value(of: "a", in: 0).map { tree.number(at: $0) } == 1)
        #expect(try tree.value(of: "b", in: 0) == nil)
        #expect(throws: JSONSyntaxError(offset: 15, message: "x is no value; put strings in quotes: \"x\"")) {
            try tree.parse(7..<text.count)
        }
        #expect(tree.location(of: 15) == (line: 2, column: 9))
    }

    @Test("An object with many keys finds a duplicate as one with few does", arguments: [2, 24, 25, 1000])
    func duplicates(count: Int) {
        let members = (0..<count).map { "\"key\($0)\":\($0)" }
        #expect(compact("{" + members.joined(separator: ",") + "}") == "{" + members.joined(separator: ",") + "}")
        let error = compact("{" + (members + ["key0: 1"]).joined(separator: ",") + "}")
        #expect(error.hasSuffix(#": the key "key0" stands here twice, first on line 1"#))
    }

    @Test("The deepest text is read, and a deeper one is refused")
    func depth() {
        let deepest = String(repeating: "[", count: 64) + String(repeating: "]", count: 64)
        #expect(compact(deepest) == deepest)
        #expect(compact("[" + deepest + "]") == "64: values are nested more than 64 deep")
    }
}
