/// Decimal numbers with up to three digits after the point, as whole thousandths.
@_spi(Baton) public enum Thousandths {
    /// The number as people type it: 1500 is `1.5`.
    public static func text(of value: some BinaryInteger) -> String {
        let (whole, part) = (value / 1000, value % 1000)
        guard part > 0 else { return String(whole) }
        var digits = String(String(1000 + Int(part)).dropFirst())
        while digits.last == "0" { digits.removeLast() }
        return "\(whole).\(digits)"
    }

    /// Reads a number such as `2`, `1.5` or `.25`.
    ///
    /// - Returns: nil for a text of another form, for more than three digits after the point, and for a sign.
    public static func value(of text: some StringProtocol) -> Int64? {
        let parts = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        let whole = String(parts[0])
        let part = parts.count > 1 ? String(parts[1]) : ""
        let digits = whole + part
        guard !digits.isEmpty, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), whole.count <= 12,
            part.count <= 3, parts.count == 1 || !part.isEmpty
        else { return nil }
        let padded = part + String(repeating: "0", count: 3 - part.count)
        return Int64((whole.isEmpty ? "0" : whole) + padded)
    }
}
