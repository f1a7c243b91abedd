@_spi(Baton) package import BatonOperations

/// Random choices for histories from a seed.
extension SplitMix {
    /// True in the given percentage of cases.
    package mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &self) < percent }

    /// A number of a range.
    package mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &self) }

    /// A random element; nil for an empty collection.
    package mutating func pick<Element>(_ elements: some Collection<Element>) -> Element? {
        elements.randomElement(using: &self)
    }

    /// A duration between two limits, with short durations more often.
    package mutating func time(_ shortest: Duration, _ longest: Duration) -> Duration {
        let span = longest - shortest
        let part = Int.random(in: 0...1000, using: &self)
        return shortest + span * (part * part) / 1_000_000
    }
}
