@_spi(Baton) import BatonArguments
@_spi(Baton) import BatonBenchmarks
@_spi(Baton) import BatonDocuments
@_spi(Baton) import BatonJSON
@_spi(Baton) import BatonOperations

/// The figures of a benchmark, over all rounds.
struct BenchReport {
    /// The figures from the rounds of one scenario.
    struct Row {
        var scenario: BenchScenario
        var operations: Int
        var figures: [(figure: Figure, sample: Sample)]
    }

    let settings: BenchSettings
    let seed: UInt64
    let rounds: Int
    private(set) var rows: [Row] = []

    /// Adds a scenario.
    mutating func add(_ scenario: BenchScenario, _ rounds: [Figures]) {
        rows.append(
            Row(scenario: scenario, operations: scenario.operations(settings), figures: Figures.joined(rounds))
        )
    }

    /// Prints a table for people: a line per figure; with several rounds, the median, the least and the most.
    func printTable() throws {
        var columns: [TextTable.Column] = [
            .init("SCENARIO"), .init("OPERATIONS", alignment: .right), .init("FIGURE", isFlexible: true),
            .init(rounds > 1 ? "MEDIAN" : "VALUE", alignment: .right),
        ]
        if rounds > 1 { columns += [.init("MINIMUM", alignment: .right), .init("MAXIMUM", alignment: .right)] }
        var table = TextTable(columns)
        for row in rows {
            for (position, (figure, sample)) in row.figures.enumerated() {
                var cells: [TextTable.Cell] = [
                    .init(position == 0 ? row.scenario.rawValue : ""),
                    .init(position == 0 && row.operations > 0 ? Self.grouped(row.operations) : ""),
                    .init(figure.title), .init(Self.text(sample.median)),
                ]
                if rounds > 1 {
                    cells += [.init(Self.text(sample.percentile(0))), .init(Self.text(sample.percentile(100)))]
                }
                table.append(cells)
            }
        }
        try Output.table(table)
    }

    /// Prints a document for scripts; the keys of the figures are the raw values of ``Figure``.
    func printDocument() throws {
        try Output.document { writer in
            writer.member("seed", seed)
            writer.member("rounds", rounds)
            writer.member("coordinator", settings.coordinator)
            writer.member("workers", settings.coordinator == nil ? settings.workers : nil)
            writer.member("slots", settings.coordinator == nil ? settings.slots : nil)
            writer.member("waiting", settings.waiting)
            writer.member("finished", settings.finished)
            if case .commands(let commands) = settings.kind { writer.member("command", strings: commands.first) }
            writer.member("scenarios", array: rows, write: Self.write)
        }
    }

    private static func write(_ row: Row, to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("scenario", row.scenario.rawValue)
        writer.member("operations", row.operations)
        writer.key("figures")
        writer.beginObject()
        for (figure, sample) in row.figures {
            writer.key(figure.rawValue)
            writer.beginObject()
            writer.member("median", sample.median)
            writer.member("least", sample.percentile(0))
            writer.member("most", sample.percentile(100))
            writer.endObject()
        }
        writer.endObject()
        writer.endObject()
    }

    /// A number with three significant digits, or more for a number from 1000 on; at most three decimals.
    static func text(_ value: Double?) -> String {
        guard let value else { return "-" }
        let decimals =
            switch abs(value) {
            case 100...: 0
            case 10..<100: 1
            case 1..<10: 2
            default: 3
            }
        let scale = [1, 10, 100, 1000][decimals]
        let units = Int((abs(value) * Double(scale)).rounded())
        let sign = value < 0 && units > 0 ? "-" : ""
        guard decimals > 0 else { return sign + grouped(units) }
        let fraction = String(units % scale)
        return sign + "\(units / scale)." + String(repeating: "0", count: decimals - fraction.count) + fraction
    }

    /// A whole number with commas between groups of three digits.
    private static func grouped(_ number: Int) -> String {
        var text = String(number)
        var position = text.endIndex
        while text.distance(from: text.startIndex, to: position) > 3 {
            position = text.index(position, offsetBy: -3)
            text.insert(",", at: position)
        }
        return text
    }
}
