/// The SHA-256 of a file's bytes: files with the same digest have the same content.
@_spi(Baton) public struct ContentDigest: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The number of its bytes.
    public static let length = 32

    // Four words take a third of the instructions of an array when a digest is copied, hashed or compared.
    private let first: UInt64
    private let second: UInt64
    private let third: UInt64
    private let fourth: UInt64

    /// Makes a digest of exactly ``length`` bytes; nil for another number of them.
    public init?(bytes: some Collection<UInt8>) {
        guard bytes.count == Self.length else { return nil }
        var words: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)
        for (position, byte) in bytes.enumerated() {
            switch position / 8 {
            case 0: words.0 = words.0 << 8 | UInt64(byte)
            case 1: words.1 = words.1 << 8 | UInt64(byte)
            case 2: words.2 = words.2 << 8 | UInt64(byte)
            default: words.3 = words.3 << 8 | UInt64(byte)
            }
        }
        first = words.0
        second = words.1
        third = words.2
        fourth = words.3
    }

    /// Reads 64 hexadecimal digits in lower case; nil for another text.
    public init?(hexadecimal text: String) {
        guard text.utf8.count == 2 * Self.length else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(Self.length)
        var upper: UInt8?
        for digit in text.utf8 {
            let value: UInt8
            switch digit {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): value = digit - UInt8(ascii: "0")
            case UInt8(ascii: "a")...UInt8(ascii: "f"): value = digit - UInt8(ascii: "a") + 10
            default: return nil
            }
            if let half = upper {
                bytes.append(half << 4 | value)
                upper = nil
            } else {
                upper = value
            }
        }
        self.init(bytes: bytes)
    }

    /// The bytes.
    public var bytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(Self.length)
        for word in [first, second, third, fourth] {
            for shift in stride(from: 56, through: 0, by: -8) { bytes.append(UInt8(truncatingIfNeeded: word >> shift)) }
        }
        return bytes
    }

    /// The bytes as hexadecimal digits in lower case.
    public var hexadecimal: String {
        let digits = Array("0123456789abcdef".utf8)
        var text: [UInt8] = []
        text.reserveCapacity(2 * Self.length)
        for byte in bytes {
            text.append(digits[Int(byte >> 4)])
            text.append(digits[Int(byte & 15)])
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// The same as ``hexadecimal``.
    public var description: String { hexadecimal }

    /// Orders digests by their bytes.
    public static func < (left: ContentDigest, right: ContentDigest) -> Bool {
        (left.first, left.second, left.third, left.fourth) < (right.first, right.second, right.third, right.fourth)
    }
}
