/// One line with the progress of some work, for example
/// `[#########>          ]  45/100  2 executing, 1 failed  3.8/s  00:12  ETA 00:15`.
@_spi(Baton) public struct ProgressBar: Sendable, Equatable {
    /// A number with a label.
    public struct Count: Sendable, Equatable {
        /// The number; the line omits a count of 0.
        public let number: Int
        /// The label, for example `executing`.
        public let label: String

        /// Creates a count.
        public init(_ number: Int, _ label: String) {
            self.number = number
            self.label = label
        }
    }

    private static let preferredCells = 20
    private static let leastCells = 5

    /// The number of finished parts.
    public var done: Int
    /// The total number of parts.
    public var total: Int
    /// Additional counts for the line.
    public var counts: [Count]
    /// The time since the start.
    public var elapsed: Duration
    /// What the unfinished parts have done of themselves, as a sum of fractions, for the length of the bar.
    public var partial = 0.0
    /// Whether parts may be added: then nothing is a whole.
    public var isOpen = false
    /// The number of parts that finish in a second; nil if it is not known.
    public var rate: Double?
    /// The time that the rest takes; nil if it is not known.
    public var remaining: Duration?

    /// Describes one moment; a number out of range becomes the nearest valid number.
    public init(done: Int, total: Int, counts: [Count] = [], elapsed: Duration) {
        self.total = max(0, total)
        self.done = min(max(0, done), self.total)
        self.counts = counts
        self.elapsed = elapsed
    }

    /// The line, at most `width` columns wide: a lack of space shortens the bar, then omits the bar, then cuts the text.
    public func line(width: Int) -> String {
        let text = facts
        let cells = min(Self.preferredCells, width - text.count - "[] ".count)
        guard cells >= Self.leastCells else { return String(text.prefix(max(0, width))) }
        return "[\(bar(cells: cells))] \(text)"
    }

    /// The bar alone, without brackets.
    ///
    /// - Parameter cells: the length in columns.
    public func bar(cells: Int) -> String {
        guard cells > 0 else { return "" }
        let filled = filled(of: cells)
        let bar = String(repeating: "#", count: filled) + (filled < cells ? ">" : "")
        return bar + String(repeating: " ", count: cells - bar.count)
    }

    /// The number of filled cells; only a whole bar is full.
    private func filled(of cells: Int) -> Int {
        // A total of 0 shows a full bar.
        guard done < total else { return isOpen ? total == 0 ? 0 : cells - 1 : cells }
        // The full-width product cannot overflow.
        let whole = Int(total.dividingFullWidth(done.multipliedFullWidth(by: cells)).quotient)
        guard partial > 0 else { return whole }
        let share = min(1, (Double(done) + partial) / Double(total))
        return min(cells - 1, max(whole, Int(share * Double(cells))))
    }

    private var facts: String {
        let whole = String(total)
        let part = String(done)
        let shown = counts.filter { $0.number > 0 }.map { "\($0.number) \($0.label)" }.joined(separator: ", ")
        let progress = String(repeating: " ", count: whole.count - part.count) + part + "/" + whole
        let speed = rate.map(Self.text(ofRate:)) ?? ""
        let end = remaining.map { "ETA \(Self.clock($0))" } ?? ""
        return [progress, shown, speed, Self.clock(elapsed), end].filter { !$0.isEmpty }.joined(separator: "  ")
    }

    /// A number of parts in a second, in a minute or in an hour: `1532/s`, `3.8/s`, `12/min`, `5/h`.
    public static func text(ofRate rate: Double) -> String {
        func text(_ number: Double, _ unit: String) -> String? {
            guard number >= 0.95 else { return nil }
            guard number < 9.95 else { return "\(Int(clamping: Int64(min(number + 0.5, 1e15))))/\(unit)" }
            let tenths = Int(number * 10 + 0.5)
            return "\(tenths / 10).\(tenths % 10)/\(unit)"
        }
        return text(rate, "s") ?? text(rate * 60, "min") ?? text(rate * 3600, "h") ?? "0/h"
    }

    /// Minutes and seconds; hours appear from the first hour on.
    public static func clock(_ elapsed: Duration) -> String {
        func twoDigits(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }
        let seconds = max(0, elapsed.components.seconds)
        let tail = twoDigits(seconds / 60 % 60) + ":" + twoDigits(seconds % 60)
        return seconds < 3600 ? tail : "\(seconds / 3600):\(tail)"
    }
}
