@_spi(Baton) import BatonArguments
import Testing

@Suite("Keys of a terminal")
struct TypedKeyTests {
    @Test(
        "Bytes that a terminal sends at once are keys",
        arguments: [
            ("", []), ("q", [.character("q")]), ("\u{3}", [.character("\u{3}")]), ("\r", [.enter]), ("\n", [.enter]),
            ("\u{1B}", [.escape]), ("\u{1B}[A", [.up]), ("\u{1B}OB", [.down]), ("\u{1B}[C\u{1B}[D", [.right, .left]),
            // An arrow with the Shift key, and keys that nobody needs.
            ("\u{1B}[1;2A", [.up]), ("\u{1B}[15~x", [.character("x")]), ("\u{1B}OP", []), ("é", []),
            // The Escape key, and another key.
            ("\u{1B}q", [.escape, .character("q")]), ("\u{1B}\u{1B}[A", [.escape, .up]), ("\u{1B}[", []),
        ] as [(String, [TypedKey])]
    )
    func keys(bytes: String, expected: [TypedKey]) {
        #expect(TypedKey.keys(in: Array(bytes.utf8)) == expected)
    }
}
