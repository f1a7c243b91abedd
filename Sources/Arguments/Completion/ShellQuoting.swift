/// Writes texts so that a shell takes them word for word.
enum ShellQuoting {
    /// In single quotes, as POSIX shells understand them.
    static func posix(_ text: String) -> String {
        "'" + text.replacing("'", with: "'\\''") + "'"
    }

    /// In single quotes, within which fish knows two escapes.
    static func fish(_ text: String) -> String {
        "'" + text.replacing("\\", with: "\\\\").replacing("'", with: "\\'") + "'"
    }
}
