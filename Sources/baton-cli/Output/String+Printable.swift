@_spi(Baton) import BatonArguments

extension String {
    /// The text as a terminal may get it, so that foreign text cannot move the cursor, imitate another line, or hide a part of itself.
    var printable: String { PrintableText.of(self) }

    /// The text with each of its lines made printable.
    var printableLines: String {
        unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false).map { String($0).printable }
            .joined(separator: "\n")
    }
}
