/// Quotes text so that a shell reads the text literally.
enum ShellQuoting {
    /// The text in single quotes, by the rules of POSIX shells.
    static func posix(_ text: String) -> String {
        "'" + text.replacing("'", with: "'\\''") + "'"
    }

    /// The text in single quotes, by the rules of fish: two escapes are valid inside the quotes.
    static func fish(_ text: String) -> String {
        "'" + text.replacing("\\", with: "\\\\").replacing("'", with: "\\'") + "'"
    }
}
