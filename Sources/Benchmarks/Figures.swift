/// The measured values of one round of a scenario, in the order of the report.
@_spi(Baton) public struct Figures: Sendable {
    /// The values.
    public private(set) var values: [(figure: Figure, value: Double)] = []

    /// Creates an empty collection.
    public init() {}

    /// Adds a value; nil stands for a value that could not be measured, and adds nothing.
    public mutating func add(_ figure: Figure, _ value: Double?) {
        if let value { values.append((figure, value)) }
    }

    /// Adds a time divided by `count`, in `unit`; nil stands for a time measurable only on the host of the cluster, and adds
    /// nothing.
    public mutating func add(_ figure: Figure, _ time: Duration?, per count: Int = 1, in unit: Duration) {
        add(figure, time.map { $0 / unit / Double(max(1, count)) })
    }

    /// Joins the rounds of a scenario: the values of each figure, in the order of the first round.
    public static func joined(_ rounds: [Figures]) -> [(figure: Figure, sample: Sample)] {
        (rounds.first?.values ?? []).map { first in
            let values = rounds.flatMap { round in round.values.filter { $0.figure == first.figure }.map(\.value) }
            return (first.figure, Sample(values))
        }
    }
}
