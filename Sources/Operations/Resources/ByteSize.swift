/// Numbers of bytes as users type them.
@_spi(Baton) public enum ByteSize {
    /// The most bytes that a user may ask for: a pebibyte.
    public static let maximum: Int64 = 1 << 50

    /// The forms of sizes, for the end of an error's sentence.
    public static let forms = "a size such as 512M, 1.5G or 1048576"

    /// The units, largest first; a unit is 1024 of the next smaller one.
    private static let units: [(letter: Character, bytes: Int64)] = [
        ("T", 1 << 40), ("G", 1 << 30), ("M", 1 << 20), ("K", 1 << 10),
    ]

    /// The size in the largest unit that leaves no fraction: `512M`, `1536M`, `1000B`.
    public static func text(of bytes: Int64) -> String {
        for unit in units where bytes >= unit.bytes && bytes % unit.bytes == 0 {
            return "\(bytes / unit.bytes)\(unit.letter)"
        }
        return "\(bytes)B"
    }

    /// The size for people, rounded down to a tenth of the largest unit that it fills: `23.5G`, `512M`, `1000B`.
    public static func roughText(of bytes: Int64) -> String {
        guard let unit = units.first(where: { bytes >= $0.bytes }) else { return "\(bytes)B" }
        let tenths = bytes / (unit.bytes / 1024) * 10 / 1024
        return "\(tenths / 10)\(tenths % 10 == 0 ? "" : ".\(tenths % 10)")\(unit.letter)"
    }

    /// What is wrong with a number of bytes that has no unit, with the forms to write instead; nil for 0, and from 1 MiB on.
    ///
    /// A user who writes 4000 hardly means less than a page of memory: other systems count in megabytes.
    ///
    /// - Parameter least: the smallest number of bytes above 0; a smaller one is not proposed.
    public static func objection(toNumber number: Int64, from least: Int64) -> String? {
        guard (1..<1 << 20).contains(number) else { return nil }
        return "\(number) has no unit: write \(number)M" + (number < least ? "" : ", or \(number)B for bytes")
    }

    /// Reads a size such as `512M`, `512MiB`, `1.5g` or `1048576`; a unit is a power of 1024.
    ///
    /// - Returns: nil for a text of another form, and for a size above ``maximum``.
    public static func value(of text: some StringProtocol) -> Int64? {
        var digits = text.uppercased()[...]
        for ending in ["IB", "B"] where digits.hasSuffix(ending) {
            digits.removeLast(ending.count)
            break
        }
        var scale: Int64 = 1
        if let unit = units.first(where: { $0.letter == digits.last }) {
            scale = unit.bytes
            digits.removeLast()
        } else if digits.count < text.count, text.uppercased().hasSuffix("IB") {
            return nil
        }
        guard let thousandths = Thousandths.value(of: digits) else { return nil }
        let (product, overflow) = thousandths.multipliedReportingOverflow(by: scale)
        guard !overflow, product / 1000 <= maximum, scale > 1 || thousandths % 1000 == 0 else { return nil }
        return product / 1000
    }
}
