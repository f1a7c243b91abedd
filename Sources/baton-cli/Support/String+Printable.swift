extension String {
    /// The text with a space for each control character: what somebody else has written must not move the cursor or look
    /// like another line.
    var printable: String {
        String(unicodeScalars.map { $0.properties.generalCategory == .control ? " " : Character($0) })
    }
}
