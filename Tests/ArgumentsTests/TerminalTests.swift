@_spi(Baton) @testable import BatonArguments
@_spi(Baton) import BatonTexts
import Testing

@Suite("Terminal output")
struct TerminalTests {
    // MARK: - Style

    // U+202E, U+2066 and U+200B of a command reached the terminal in tables, U+200B, U+2060 and U+FEFF in errors of arguments.
    @Test("Foreign text reaches a terminal without characters that are not seen where they stand")
    func printable() {
        for hidden in ["\u{202E}", "\u{2066}", "\u{200B}", "\u{2060}", "\u{FEFF}", "\u{AD}", "\u{E0041}", "\u{3164}"] {
            #expect(PrintableText.of("a\(hidden)b") == "a\u{FFFD}b")
            var table = TextTable([.init("A")])
            table.append([.init("a\(hidden)b")])
            #expect(table.rendered() == "A\na\u{FFFD}b")
            #expect("a\(hidden)b".quoted == "'a\u{FFFD}b'")
        }
        #expect(PrintableText.of("a\u{1B}b\nc\u{2028}d\u{85}") == "a b c d ")
        #expect(PrintableText.of("日本 👩‍🚀 نیم‌فاصله é") == "日本 👩‍🚀 نیم‌فاصله é")
    }

    @Test("Output is coloured only in a capable terminal without NO_COLOR")
    func colour() {
        #expect(Style(isTerminal: true, environment: [:]).isColoured)
        #expect(Style(isTerminal: true, environment: ["NO_COLOR": ""]).isColoured)
        #expect(!Style(isTerminal: true, environment: ["NO_COLOR": "1"]).isColoured)
        #expect(!Style(isTerminal: true, environment: ["TERM": "dumb"]).isColoured)
        #expect(!Style(isTerminal: false, environment: ["TERM": "xterm"]).isColoured)
    }

    @Test("A tone puts colour codes around a text, and leaves plain and empty text as it is")
    func tones() {
        #expect(Style(isTerminal: true, environment: [:]).apply(.bad, to: "failed") == "\u{1B}[31mfailed\u{1B}[0m")
        #expect(Style.plain.apply(.bad, to: "failed") == "failed")
        #expect(Style(isTerminal: true, environment: [:]).apply(.bad, to: "") == "")
    }

    // MARK: - Progress

    @Test("The progress bar shows the finished part, the numbers and the time as far as the width allows")
    func progress() {
        let bar = ProgressBar(
            done: 45,
            total: 100,
            counts: [.init(2, "executing"), .init(1, "failed"), .init(0, "skipped")],
            elapsed: .seconds(12)
        )
        #expect(bar.line(width: 80) == "[#########>          ]  45/100  2 executing, 1 failed  00:12")
        #expect(bar.line(width: 48) == "[###>    ]  45/100  2 executing, 1 failed  00:12")
        #expect(bar.line(width: 45) == "[##>  ]  45/100  2 executing, 1 failed  00:12")
        #expect(bar.line(width: 44) == " 45/100  2 executing, 1 failed  00:12")
        #expect(bar.line(width: 7) == " 45/100")
        #expect(bar.line(width: 0) == "")
        #expect(bar.line(width: -1) == "")
    }

    @Test(
        "The progress bar shows its ends, and keeps numbers out of range within its ends",
        arguments: [
            (0, 4, 0, "[>                   ] 0/4  00:00"),
            (4, 4, 59, "[####################] 4/4  00:59"),
            (9, 4, 3599, "[####################] 4/4  59:59"),
            (-1, -1, 3600, "[####################] 0/0  1:00:00"),
            (1, 3, 360_061, "[######>             ] 1/3  100:01:01"),
            (2, 4, -5, "[##########>         ] 2/4  00:00"),
            (Int.max, Int.max, 0, "[####################] 9223372036854775807/9223372036854775807  00:00"),
        ]
    )
    func progressEnds(done: Int, total: Int, seconds: Int, expected: String) {
        #expect(ProgressBar(done: done, total: total, elapsed: .seconds(seconds)).line(width: 80) == expected)
    }

    @Test("The progress bar of work to which parts may be added is never full")
    func openProgress() {
        var bar = ProgressBar(done: 0, total: 0, elapsed: .zero)
        bar.isOpen = true
        #expect(bar.bar(cells: 5) == ">    ")
        bar.total = 2
        bar.done = 2
        #expect(bar.bar(cells: 5) == "####>")
    }

    @Test("The progress bar shows the rate and the remaining time, and moves with parts of what is not finished")
    func rates() {
        var bar = ProgressBar(done: 1, total: 4, counts: [.init(2, "executing")], elapsed: .seconds(12))
        bar.partial = 1.5
        bar.rate = 0.25
        bar.remaining = .seconds(3725)
        #expect(bar.line(width: 80) == "[############>       ] 1/4  2 executing  15/min  00:12  ETA 1:02:05")
        #expect(bar.line(width: 30) == "1/4  2 executing  15/min  00:1")
        // Only what is finished fills the bar.
        bar.partial = 99
        #expect(bar.bar(cells: 4) == "###>")
        bar.partial = -1
        #expect(bar.bar(cells: 4) == "#>  ")
        #expect(bar.bar(cells: 0) == "")
    }

    @Test(
        "A rate has the unit in which it is about a few",
        arguments: [
            (1_532.4, "1532/s"), (12, "12/s"), (9.96, "10/s"), (3.84, "3.8/s"), (1, "1.0/s"), (0.5, "30/min"),
            (1.0 / 60, "1.0/min"), (1.0 / 3600, "1.0/h"), (1e-9, "0/h"), (1e300, "1000000000000000/s"),
        ] as [(Double, String)]
    )
    func units(rate: Double, text: String) {
        #expect(ProgressBar.text(ofRate: rate) == text)
    }

    // MARK: - Tables

    private var table: TextTable {
        var table = TextTable([
            .init("JOB", alignment: .right), .init("NAME", isFlexible: true), .init("STATE"),
            .init("DONE", alignment: .right), .init("NOTE"),
        ])
        table.append(["1", "thumbnails of all", "executing", "3/12"])
        table.append(["12", "a\nb\u{1B}[31m", Cell("finished", tone: .good), "1/1", "late"])
        return table
    }

    private typealias Cell = TextTable.Cell

    @Test("A table aligns its columns, ends no line in spaces and drops control characters")
    func table80() {
        #expect(
            table.rendered() == """
                JOB  NAME               STATE      DONE  NOTE
                  1  thumbnails of all  executing  3/12
                 12  a b [31m           finished    1/1  late
                """
        )
    }

    @Test("A table in a narrow terminal shortens flexible columns first and then cuts its lines")
    func narrowTable() {
        #expect(
            table.rendered(width: 40) == """
                JOB  NAME          STATE      DONE  NOTE
                  1  thumbnails …  executing  3/12
                 12  a b [31m      finished    1/1  late
                """
        )
        #expect(
            table.rendered(width: 20) == """
                JOB  NAME      STATE
                  1  thumbna…  exec…
                 12  a b [31m  fini…
                """
        )
        #expect(table.rendered(width: 0) == "\n\n")
    }

    @Test("The colours of a table surround the texts of its cells without their padding")
    func colouredTable() {
        var table = TextTable([.init("STATE"), .init("N", alignment: .right)])
        table.append([Cell("ok", tone: .good), Cell("7", tone: .bad)])
        let style = Style(isTerminal: true, environment: [:])
        #expect(
            table.rendered(style: style)
                == "\u{1B}[1mSTATE\u{1B}[0m  \u{1B}[1mN\u{1B}[0m\n\u{1B}[32mok\u{1B}[0m     \u{1B}[31m7\u{1B}[0m"
        )
    }

    @Test(
        "The end of a text is shown behind an ellipsis where the text is too long",
        arguments: [(7, "the end"), (6, "…e end"), (4, "…end"), (1, "…"), (0, ""), (-1, "")]
    )
    func endOfText(width: Int, shown: String) {
        #expect(TextWidth.shortenedInFront("the end", to: width) == shown)
    }

    @Test("The end of a wide text is shown without half a character")
    func endOfWideText() {
        #expect(TextWidth.shortenedInFront("計算計算", to: 6) == "…計算")
    }

    @Test("A cell that keeps its end shows the end in a table that is too wide")
    func endOfCell() {
        var table = TextTable([.init("A", isFlexible: true), .init("B")])
        table.append([Cell("a command with its end", keepsEnd: true), "1"])
        table.append([Cell("a command with its end"), "2"])
        #expect(table.rendered(width: 15) == "A             B\n…ith its end  1\na command w…  2")
        #expect(table.rendered(width: 4) == "A\n…end\na c…")
    }

    @Test("Several flexible columns of a table are shortened to the same width")
    func twoFlexibleColumns() {
        var table = TextTable([.init("A", isFlexible: true), .init("B", isFlexible: true)])
        table.append([Cell(String(repeating: "a", count: 40)), Cell(String(repeating: "b", count: 20))])
        let lines = table.rendered(width: 30).split(separator: "\n")
        #expect(lines[1] == "aaaaaaaaaaaaa…  bbbbbbbbbbbbb…")
    }
}
