/// The names of environment variables that users give.
@_spi(Baton) public enum VariableName {
    /// What keeps a text from being the name of a variable, such as `white space`; nil for a name.
    ///
    /// A program may be given such a variable, but none asks for one: a shell's `export B=1` would make the variable `export B`.
    public static func obstacle(in text: String) -> String? {
        for scalar in text.unicodeScalars {
            if scalar.properties.isWhitespace { return "white space" }
            // No program can be given a NUL, which has a sentence of its own.
            if scalar.value != 0, Name.isForbidden(scalar) { return "the character \(Name.code(of: scalar))" }
        }
        return nil
    }
}
