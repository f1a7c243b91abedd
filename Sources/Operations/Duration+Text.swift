extension Duration {
    /// The whole microseconds of the duration, saturated at the ends of the range.
    public var microseconds: Int64 {
        let (seconds, attoseconds) = components
        let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000)
        let (sum, second) = product.addingReportingOverflow(attoseconds / 1_000_000_000_000)
        return overflow || second ? (seconds < 0 ? .min : .max) : sum
    }

    /// The most that a user may ask for: 10,000 days, so that no sum of times overflows.
    public static let longestAllowed = Duration.seconds(864_000_000)

    /// Reads a duration as users type it: `250ms`, `10s`, `1.5m`, `2h`, `7d`; a bare number is seconds.
    ///
    /// - Returns: nil where the text is not of that form, is negative, or is above ``longestAllowed``.
    public init?(text: String) {
        let units: [(suffix: String, seconds: Double)] = [
            ("ms", 0.001), ("us", 0.000_001), ("s", 1), ("m", 60), ("h", 3600), ("d", 86_400),
        ]
        let unit = units.first { text.hasSuffix($0.suffix) }
        let digits = text.dropLast(unit?.suffix.utf8.count ?? 0)
        guard !digits.isEmpty, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) || $0 == 0x2E }),
            let number = Double(digits)
        else { return nil }
        let seconds = number * (unit?.seconds ?? 1)
        guard seconds <= 864_000_000 else { return nil }
        // Not rounded(): that would need the C library's mathematics, which nothing else here links.
        self = .microseconds(Int64(seconds * 1_000_000 + 0.5))
    }

    /// The duration as a user would type it, in the largest unit that divides it: `250ms`, `90s`, `2h`.
    public var text: String {
        let total = microseconds
        let units: [(suffix: String, microseconds: Int64)] = [
            ("d", 86_400_000_000), ("h", 3_600_000_000), ("m", 60_000_000), ("s", 1_000_000), ("ms", 1000),
        ]
        guard total != 0 else { return "0s" }
        for unit in units where total % unit.microseconds == 0 {
            return "\(total / unit.microseconds)\(unit.suffix)"
        }
        return "\(total)us"
    }

    /// The duration for people, with as much of it as matters: `12ms`, `1.2s`, `2m 03s`, `1h 02m`, `3d 04h`.
    public var roughText: String {
        let milliseconds = max(0, microseconds) / 1000
        let seconds = milliseconds / 1000
        func two(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }
        switch seconds {
        case 0: return "\(milliseconds)ms"
        case ..<60: return "\(seconds).\(milliseconds / 100 % 10)s"
        case ..<3600: return "\(seconds / 60)m \(two(seconds % 60))s"
        case ..<86_400: return "\(seconds / 3600)h \(two(seconds / 60 % 60))m"
        default: return "\(seconds / 86_400)d \(two(seconds / 3600 % 24))h"
        }
    }
}
