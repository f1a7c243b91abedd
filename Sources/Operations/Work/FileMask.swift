/// The permissions that the files of a process do not get when they are made, as umask(2) has them.
@_spi(Baton) public struct FileMask: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The usual mask: others may read files, and only their owner may change them.
    public static let usual = FileMask(known: 0o022)

    /// The bits: read, write and execute for the owner, the group and others.
    public let rawValue: UInt16

    private init(known rawValue: UInt16) { self.rawValue = rawValue }

    /// Makes a mask; nil for bits that are no permissions.
    public init?(rawValue: UInt16) {
        guard rawValue <= 0o777 else { return nil }
        self.rawValue = rawValue
    }

    /// Reads a mask as shells print it, such as `022` or `0027`; nil for another text.
    public init?(_ text: String) {
        let digits = text.utf8.count == 4 && text.hasPrefix("0") ? text.dropFirst() : text[...]
        guard digits.utf8.count == 3, digits.utf8.allSatisfy({ (0x30...0x37).contains($0) }),
            let bits = UInt16(digits, radix: 8)
        else { return nil }
        rawValue = bits
    }

    /// The form of a mask, for the end of an error's sentence.
    public static let form = "three octal digits such as 027"

    /// The three digits that ``init(_:)`` reads.
    public var description: String {
        let digits = String(rawValue, radix: 8)
        return String(repeating: "0", count: 3 - digits.count) + digits
    }
}

@_spi(Baton) extension FileMask: OptionConvertible {
    var optionValue: OptionValue { .text(description) }

    init?(_ value: OptionValue) {
        guard case .text(let text) = value else { return nil }
        self.init(text)
    }
}
