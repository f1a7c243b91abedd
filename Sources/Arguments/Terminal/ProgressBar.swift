/// One line with the progress of some work, for example `[#########>          ]  45/100  2 executing, 1 failed  00:12`.
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

    private func bar(cells: Int) -> String {
        // A total of 0 shows a full bar. The full-width product cannot overflow.
        let filled = total == 0 ? cells : Int(total.dividingFullWidth(done.multipliedFullWidth(by: cells)).quotient)
        let bar = String(repeating: "#", count: filled) + (filled < cells ? ">" : "")
        return bar + String(repeating: " ", count: cells - bar.count)
    }

    private var facts: String {
        let whole = String(total)
        let part = String(done)
        let shown = counts.filter { $0.number > 0 }.map { "\($0.number) \($0.label)" }.joined(separator: ", ")
        let progress = String(repeating: " ", count: whole.count - part.count) + part + "/" + whole
        return [progress, shown, Self.clock(elapsed)].filter { !$0.isEmpty }.joined(separator: "  ")
    }

    /// Minutes and seconds; hours appear from the first hour on.
    private static func clock(_ elapsed: Duration) -> String {
        func twoDigits(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }
        let seconds = max(0, elapsed.components.seconds)
        let tail = twoDigits(seconds / 60 % 60) + ":" + twoDigits(seconds % 60)
        return seconds < 3600 ? tail : "\(seconds / 3600):\(tail)"
    }
}
