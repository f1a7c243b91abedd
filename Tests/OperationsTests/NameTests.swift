import Operations
import Testing

@Suite struct NameTests {
    @Test(arguments: [
        "a", "_", "_1", "sepia", "a.b-c:d", "Größe", "名前", "a\u{301}",
        String(repeating: "a", count: Name.maximumLength),
    ])
    func `Allows what can be a file and one field of a line`(name: String) {
        #expect(Name.isValid(name))
    }

    @Test(arguments: [
        "", "1", "1a", "-a", ".", "..", ".a", "a/b", "a b", "a\tb", "a\nb", "a\r\n", "a\u{0}", "a\u{7F}", "a\u{A0}b",
        "a\u{2028}b", String(repeating: "a", count: Name.maximumLength + 1), String(repeating: "ä", count: 101),
    ])
    func `Refuses the rest`(name: String) {
        #expect(!Name.isValid(name))
    }

    @Test(arguments: 0...127 as ClosedRange<UInt8>)
    func `The rule is the same for ASCII names and those with other letters`(byte: UInt8) {
        let character = String(UnicodeScalar(byte))
        #expect(Name.isValid(character) == Name.isValid(character + "ä"))
        #expect(Name.isValid("a" + character) == Name.isValid("ä" + character + "a"))
    }
}
