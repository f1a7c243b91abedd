/// The values that one round of a scenario has measured, in the order in which they are shown.
public struct Figures: Sendable {
    /// The values.
    public private(set) var values: [(figure: Figure, value: Double)] = []

    /// Starts with none.
    public init() {}

    /// Adds a value; nil, of what could not be measured, adds none.
    public mutating func add(_ figure: Figure, _ value: Double?) {
        if let value { values.append((figure, value)) }
    }

    /// Adds a value of what can be measured only on the host of the cluster.
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
