package import BatonOperations

/// What histories that a seed decides are made of.
extension SplitMix {
    /// True in that many of a hundred cases.
    package mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &self) < percent }

    /// A number of a range.
    package mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &self) }

    /// One of several; nil of none.
    package mutating func pick<Element>(_ elements: some Collection<Element>) -> Element? {
        elements.randomElement(using: &self)
    }

    /// A time between two, with short ones more often.
    package mutating func time(_ shortest: Duration, _ longest: Duration) -> Duration {
        let span = longest - shortest
        let part = Int.random(in: 0...1000, using: &self)
        return shortest + span * (part * part) / 1_000_000
    }
}
