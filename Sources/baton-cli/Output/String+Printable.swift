@_spi(Baton) import BatonTexts

extension String {
    /// The text as a terminal may get it, so that foreign text cannot move the cursor, imitate another line, or hide a part of itself.
    var printable: String { PrintableText.of(self) }
}
