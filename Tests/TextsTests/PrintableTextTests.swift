@_spi(Baton) import BatonTexts
import Testing

@Suite("Printable text")
struct PrintableTextTests {
    @Test("Lines stay lines, and everything else that moves the cursor or hides text is replaced")
    func lines() {
        #expect(PrintableText.lines(of: "a\nb\u{1B}[2J\rc\u{202E}d\u{85}") == "a\nb [2J c\u{FFFD}d ")
        #expect(PrintableText.lines(of: "plain\n") == "plain\n")
        #expect(PrintableText.of("a\nb\r\nc") == "a b  c")
        #expect(PrintableText.of("a\u{206A}b\u{1D173}c\u{1BCA0}") == "a\u{FFFD}b\u{FFFD}c\u{FFFD}")
    }

    @Test("Colours stay where they are wanted, and only they do")
    func colours() {
        let kept = ["\u{1B}[31m", "\u{1B}[0m"]
        let text = "\u{1B}[31mred\u{1B}[0m \u{1B}[32mgreen\u{1B}\u{7}\u{1B}[2J"
        #expect(PrintableText.lines(of: text, keeping: kept) == "\u{1B}[31mred\u{1B}[0m  [32mgreen   [2J")
        #expect(PrintableText.lines(of: text, keeping: []) == " [31mred [0m  [32mgreen   [2J")
        #expect(PrintableText.lines(of: "a\u{202E}", keeping: kept) == "a\u{FFFD}")
    }
}
