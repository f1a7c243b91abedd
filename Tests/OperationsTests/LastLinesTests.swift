@_spi(Baton) import BatonOperations
import Testing

@Suite("The last lines of a text", .timeLimit(.minutes(60)))
struct LastLinesTests {
    /// The last lines of a text, and whether the text has more lines.
    private func lastLines(_ count: UInt32, of text: String) -> (String, hasMore: Bool) {
        let bytes = Array(text.utf8)
        guard let start = LastLines.start(of: count, in: bytes) else { return (text, false) }
        return (String(decoding: bytes[start...], as: UTF8.self), true)
    }

    @Test(
        "Lines are counted from the end, with or without a last newline",
        arguments: [
            ("", 1, "", false), ("a", 1, "a", false), ("a\n", 1, "a\n", false), ("a\nb", 1, "b", true),
            ("a\nb\n", 1, "b\n", true), ("a\nb\n", 2, "a\nb\n", false), ("a\nb\n", 3, "a\nb\n", false),
            ("a\n\n\n", 2, "\n\n", true), ("a\n\n\n", 3, "a\n\n\n", false), ("\n", 1, "\n", false),
            ("a\nb", 0, "", true), ("a\nb\nc", 2, "b\nc", true),
        ] as [(String, UInt32, String, Bool)]
    )
    func counts(_ text: String, _ count: UInt32, _ end: String, _ hasMore: Bool) {
        #expect(lastLines(count, of: text) == (end, hasMore: hasMore))
    }

    @Test("Random texts have the same last lines as by splitting them")
    func random() {
        let seed = UInt64.random(in: 0...UInt64.max)
        var random = SplitMix(seed: seed)
        for _ in 0..<500 {
            let bytes = (0..<Int(random.next() % 30)).map { _ in random.next() % 3 == 0 ? UInt8(0x0A) : 0x61 }
            let count = UInt32(random.next() % 6)
            var lines: [[UInt8]] = []
            for byte in bytes {
                if lines.isEmpty || lines.last?.last == 0x0A { lines.append([]) }
                lines[lines.count - 1].append(byte)
            }
            let start = LastLines.start(of: count, in: bytes)
            let wanted = Array(lines.suffix(Int(count)).joined())
            #expect(Array(bytes[(start ?? 0)...]) == wanted, "seed \(seed), \(count) of \(bytes)")
            #expect((start == nil) == (lines.count <= count && count > 0), "seed \(seed), \(count) of \(bytes)")
        }
    }
}
