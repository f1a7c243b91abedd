@_spi(Baton) public import BatonOperations

@_spi(Baton) extension Timestamp {
    /// Reads a moment in ISO 8601 and UTC; nil for another form.
    ///
    /// Documents have `2026-11-21T03:04:05.000678Z`. Fewer decimals, or none as in `2026-11-21T03:04:05Z`, are what other programs
    /// write.
    public init?(iso8601 text: String) {
        let parts = text.split(separator: "T", omittingEmptySubsequences: false)
        guard parts.count == 2, parts[1].hasSuffix("Z") else { return nil }
        let clock = parts[1].dropLast().split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        let decimals = clock.count == 2 ? clock[1] : "0"
        guard let date = Self.numbers(parts[0], separator: "-", digits: [4, 2, 2]),
            let time = Self.numbers(clock[0], separator: ":", digits: [2, 2, 2]),
            let day = CivilDay(year: date[0], month: date[1], day: date[2]),
            time[0] < 24, time[1] < 60, time[2] < 60, (1...6).contains(decimals.utf8.count),
            let microseconds = Self.number(decimals + String(repeating: "0", count: 6 - decimals.utf8.count))
        else { return nil }
        let seconds = (time[0] * 60 + time[1]) * 60 + time[2]
        self.init(rawValue: (day.daysSince1970 * 86_400 + seconds) * 1_000_000 + microseconds)
    }

    /// Numbers with so many digits each; nil for another text.
    private static func numbers(_ text: Substring, separator: Character, digits: [Int]) -> [Int64]? {
        let parts = text.split(separator: separator, omittingEmptySubsequences: false)
        guard parts.map(\.utf8.count) == digits else { return nil }
        let numbers = parts.compactMap { number($0) }
        return numbers.count == digits.count ? numbers : nil
    }

    /// A number of digits alone; nil for another text.
    private static func number(_ text: Substring) -> Int64? {
        text.utf8.allSatisfy { (0x30...0x39).contains($0) } ? Int64(text) : nil
    }
}
