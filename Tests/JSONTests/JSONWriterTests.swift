@_spi(Baton) import BatonJSON
import Foundation
import Testing

@Suite("Writing of JSON")
struct JSONWriterTests {
    @Test("The writer puts commas between values and members, and nowhere else")
    func commas() {
        var writer = JSONWriter()
        writer.beginArray()
        writer.beginObject()
        writer.endObject()
        writer.beginObject()
        writer.member("a", 1)
        writer.key("b\"")
        writer.beginArray()
        writer.endArray()
        writer.member("c", true)
        writer.member("d", strings: ["x", "y"])
        writer.member("e", strings: nil)
        writer.endObject()
        writer.value(Int.min)
        writer.value(nil as Int?)
        writer.value(false)
        writer.endArray()
        #expect(
            String(decoding: writer.bytes, as: UTF8.self)
                == #"[{},{"a":1,"b\"":[],"c":true,"d":["x","y"],"e":null},-9223372036854775808,null,false]"#
        )
    }

    @Test(
        "The writer escapes strings only where JSON asks for it",
        arguments: [
            ("", #""""#), ("a/b", #""a/b""#), ("\"\\", #""\"\\""#), ("\n\r\t", #""\n\r\t""#),
            ("\u{0}\u{1}\u{1F}\u{8}", #""\u0000\u0001\u001f\u0008""#), ("é😀\u{7F}\u{2028}", "\"é😀\u{7F}\u{2028}\""),
            (String(decoding: [0x61, 0xFF, 0x62] as [UInt8], as: UTF8.self), "\"a\u{FFFD}b\""),
        ]
    )
    func strings(text: String, json: String) throws {
        var writer = JSONWriter()
        writer.value(text)
        #expect(String(decoding: writer.bytes, as: UTF8.self) == json)
        #expect(try JSONDecoder().decode(String.self, from: Data(writer.bytes)) == text)
    }

    @Test(
        "The writer turns numbers that JSON does not have into null",
        arguments: [
            (1.0, "1.0"), (0.25, "0.25"), (-1e-7, "-1e-07"), (.infinity, "null"), (-.infinity, "null"), (.nan, "null"),
        ] as [(Double, String)]
    )
    func numbers(number: Double, json: String) {
        var writer = JSONWriter()
        writer.value(number)
        #expect(String(decoding: writer.bytes, as: UTF8.self) == json)
    }

    @Test("Unicode scalars of all planes are the same after they were written and read")
    func everyScalar() throws {
        var text = ""
        for value in stride(from: UInt32(0), to: 0x11_0000, by: 1) {
            if value < 0x3000 || value % 97 == 0, let scalar = Unicode.Scalar(value) {
                text.unicodeScalars.append(scalar)
            }
        }
        var writer = JSONWriter()
        writer.value(text)
        let again = try JSONDecoder().decode(String.self, from: Data(writer.bytes))
        #expect(again.unicodeScalars.elementsEqual(text.unicodeScalars))
    }
}
