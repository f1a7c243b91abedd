/// One line that shows how far something is, such as
/// `[#########>          ]  45/100  2 executing, 1 failed  00:12`.
public struct ProgressBar: Sendable, Equatable {
    /// A number with what it counts.
    public struct Count: Sendable, Equatable {
        /// How many there are; none are not shown.
        public let number: Int
        /// What they are, such as `executing`.
        public let label: String

        /// Counts something.
        public init(_ number: Int, _ label: String) {
            self.number = number
            self.label = label
        }
    }

    private static let preferredCells = 20
    private static let leastCells = 5

    /// How many of the whole are done.
    public var done: Int
    /// How many there are in all.
    public var total: Int
    /// What else is worth a number.
    public var counts: [Count]
    /// The time since the start.
    public var elapsed: Duration

    /// Describes one moment; numbers out of range are taken as the nearest possible.
    public init(done: Int, total: Int, counts: [Count] = [], elapsed: Duration) {
        self.total = max(0, total)
        self.done = min(max(0, done), self.total)
        self.counts = counts
        self.elapsed = elapsed
    }

    /// The line, at most `width` columns: too little room shortens the bar, then omits it, then cuts the rest.
    public func line(width: Int) -> String {
        let text = facts
        let cells = min(Self.preferredCells, width - text.count - "[] ".count)
        guard cells >= Self.leastCells else { return String(text.prefix(max(0, width))) }
        return "[\(bar(cells: cells))] \(text)"
    }

    private func bar(cells: Int) -> String {
        // Nothing to do is all done. The full width keeps the product from overflowing.
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

    /// Whole minutes and seconds, with hours from the first one on.
    private static func clock(_ elapsed: Duration) -> String {
        func twoDigits(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }
        let seconds = max(0, elapsed.components.seconds)
        let tail = twoDigits(seconds / 60 % 60) + ":" + twoDigits(seconds % 60)
        return seconds < 3600 ? tail : "\(seconds / 3600):\(tail)"
    }
}
