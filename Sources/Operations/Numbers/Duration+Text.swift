@_spi(Baton) extension Duration {
    /// The whole microseconds of the duration, saturated at the ends of the range.
    public var microseconds: Int64 {
        let (seconds, attoseconds) = components
        let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000)
        let (sum, second) = product.addingReportingOverflow(attoseconds / 1_000_000_000_000)
        return overflow || second ? (seconds < 0 ? .min : .max) : sum
    }

    /// The longest duration that a user may request: 10,000 days, so that no sum of times overflows.
    public static let longestAllowed = Duration.seconds(864_000_000)

    /// The longest duration as users type it.
    public static let longestAllowedText = "10000d"

    /// Reads a duration as users type it: `250ms`, `10s`, `1.5m`, `2h`, `7d`, or in several units, larger ones first, `1h30m`.
    ///
    /// Every number has a unit, no unit repeats, and only the last number may have a fraction. Fractions of a microsecond are
    /// rounded.
    ///
    /// - Returns: nil for a text of another form, for a negative duration, and for a duration above ``longestAllowed``.
    public init?(text: String) {
        guard let total = Self.microseconds(in: text), total <= Self.longestAllowed.microseconds else { return nil }
        self = .microseconds(total)
    }

    /// Whether a text has the form of a duration, and stands for more than ``longestAllowed``.
    public static func isTooLong(_ text: String) -> Bool {
        microseconds(in: text).map { $0 > longestAllowed.microseconds } ?? false
    }

    /// The microseconds of a duration as users type it, at most those of the range; nil for a text of another form.
    private static func microseconds(in text: String) -> Int64? {
        var rest = text.utf8[...]
        // The units still allowed.
        var units = Self.units[...]
        var total: Int64 = 0
        var hadFraction = false
        guard !rest.isEmpty else { return nil }
        while !rest.isEmpty {
            let digits = rest.prefix { (0x30...0x39).contains($0) }
            rest = rest.dropFirst(digits.count)
            var fraction = rest.prefix(0)
            if rest.first == UInt8(ascii: ".") {
                fraction = rest.dropFirst().prefix { (0x30...0x39).contains($0) }
                rest = rest.dropFirst(1 + fraction.count)
                hadFraction = true
            }
            let word = rest.prefix { (0x61...0x7A).contains($0) }
            rest = rest.dropFirst(word.count)
            guard !(digits.isEmpty && fraction.isEmpty), !hadFraction || rest.isEmpty,
                let position = units.firstIndex(where: { $0.name.utf8.elementsEqual(word) }),
                let part = Double("0." + Substring(fraction) + "0")
            else { return nil }
            let unit = units[position].microseconds
            units = units[(position + 1)...]
            let whole: Int64 = digits.isEmpty ? 0 : Int64(Substring(digits)) ?? .max
            let (product, overflow) = whole.multipliedReportingOverflow(by: unit)
            // Adds 0.5 instead of calling rounded(), which would need the C library's mathematics; nothing else here links it.
            let fractional = Int64(part * Double(unit) + 0.5)
            total = total.addingSaturated(overflow ? .max : product).addingSaturated(fractional)
        }
        return total
    }

    /// The units of durations, largest first.
    private static let units: [(name: String, microseconds: Int64)] = [
        ("d", 86_400_000_000), ("h", 3_600_000_000), ("m", 60_000_000), ("s", 1_000_000), ("ms", 1000), ("us", 1),
    ]

    /// The exact duration as a user would type it: `250ms`, `1m30s`, `2h`, `1h30m`; ``init(text:)`` reads the same value.
    public var text: String {
        var rest = microseconds
        guard rest > 0 else {
            return rest == 0 ? "0s" : rest == .min ? "\(rest)us" : "-" + Duration.microseconds(-rest).text
        }
        var text = ""
        for unit in Self.units where rest >= unit.microseconds {
            text += "\(rest / unit.microseconds)\(unit.name)"
            rest %= unit.microseconds
        }
        return text
    }

    /// The duration for people, in its largest units only: `12ms`, `1.2s`, `2m 03s`, `1h 02m`, `3d 04h`.
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
