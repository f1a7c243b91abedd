/// The identity of a trace, as OpenTelemetry and W3C Trace Context know it: 128 bits, never all zero.
@_spi(Baton) public struct TraceID: Hashable, Sendable, CustomStringConvertible {
    /// The upper 64 bits.
    public let high: UInt64
    /// The lower 64 bits.
    public let low: UInt64

    /// Makes an identity; nil for zero, which identifies no trace.
    public init?(high: UInt64, low: UInt64) {
        guard high != 0 || low != 0 else { return nil }
        self.high = high
        self.low = low
    }

    /// Makes an identity out of a hash, in which 1 takes the place of a zero.
    init(hashed high: UInt64, _ low: UInt64) {
        self.high = high
        self.low = max(low, 1)
    }

    /// 32 hexadecimal digits, in lower case.
    public var description: String { HexDigits.text(high) + HexDigits.text(low) }
}

/// The identity of a span in its trace: 64 bits, never zero.
@_spi(Baton) public struct SpanID: Hashable, Sendable, CustomStringConvertible {
    /// The number; never 0.
    public let rawValue: UInt64

    /// Makes an identity; nil for zero, which identifies no span.
    public init?(rawValue: UInt64) {
        guard rawValue != 0 else { return nil }
        self.rawValue = rawValue
    }

    /// Makes an identity out of a hash, in which 1 takes the place of a zero.
    init(hashed value: UInt64) { rawValue = max(value, 1) }

    /// 16 hexadecimal digits, in lower case.
    public var description: String { HexDigits.text(rawValue) }
}

/// Numbers as a fixed count of hexadecimal digits in lower case, the only form that W3C Trace Context allows.
///
/// Each attempt has a few such texts, in its variables and in the names of its files.
enum HexDigits {
    /// 16 digits.
    static func text(_ number: UInt64) -> String {
        DigitWriter.text(upTo: 16) { $0.write(hexadecimal: number) }
    }

    /// Reads at most 16 digits; nil for another character, also for an upper-case letter.
    static func number(_ digits: some Collection<UInt8>) -> UInt64? {
        guard digits.count <= 16 else { return nil }
        var number: UInt64 = 0
        for digit in digits {
            switch digit {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): number = number << 4 | UInt64(digit - UInt8(ascii: "0"))
            case UInt8(ascii: "a")...UInt8(ascii: "f"): number = number << 4 | UInt64(digit - UInt8(ascii: "a") + 10)
            default: return nil
            }
        }
        return number
    }
}
