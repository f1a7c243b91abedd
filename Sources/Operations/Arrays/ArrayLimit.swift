/// The limit behind the ranges of an array: `1-1000%20`.
@_spi(Baton) public enum ArrayLimit {
    /// Divides a text into the ranges and the limit behind `%`; nil without a limit.
    ///
    /// - Throws: ``Refusal`` `invalid` for a limit that is no whole number from 1.
    public static func split(_ text: String) throws(Refusal) -> (ranges: String, limit: UInt32?) {
        guard let percent = text.firstIndex(of: "%") else { return (text, nil) }
        let digits = text[text.index(after: percent)...]
        guard !digits.isEmpty, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let limit = Int32(digits),
            limit > 0
        else {
            throw Refusal(
                .invalid,
                "The array \"\(text.asShown)\" has no limit behind %. Give a whole number from 1, like 1-1000%20."
            )
        }
        return (String(text[..<percent]), UInt32(limit))
    }
}
