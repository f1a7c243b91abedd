extension String {
    /// The text with a space for each control character, so that foreign text cannot move the cursor or imitate another line.
    var printable: String {
        String(unicodeScalars.map { $0.properties.generalCategory == .control ? " " : Character($0) })
    }
}
