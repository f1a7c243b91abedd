@_spi(Baton) import BatonTexts
import Foundation
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

    @Test("The page replaces every character that a terminal does not get, except tabs and line feeds")
    func page() throws {
        let file = URL(filePath: #filePath).appending(path: "../../../Sources/Web/Assets/dom.js").standardized
        let line = try String(contentsOf: file, encoding: .utf8).split(separator: "\n").first { $0.contains("]/gu;") }
        var replaced: [ClosedRange<UInt32>] = []
        var isRange = false
        for match in try #require(line).matches(of: #/\\u(?:\{([0-9a-f]+)\}|([0-9a-f]{4}))(-)?/#) {
            let number = try #require((match.1 ?? match.2).flatMap { UInt32($0, radix: 16) })
            replaced.append((isRange ? replaced.removeLast().lowerBound : number)...number)
            isRange = match.3 != nil
        }
        #expect(replaced.count > 10)
        let shown = (UInt32(0)...0xF_FFFF).lazy.compactMap { Unicode.Scalar($0) }.filter { scalar in
            (PrintableText.isControl(scalar) || PrintableText.isHidden(scalar)) && scalar != "\t" && scalar != "\n"
                && !replaced.contains { $0.contains(scalar.value) }
        }
        #expect(shown.map { String($0.value, radix: 16) }.isEmpty)
    }
}
