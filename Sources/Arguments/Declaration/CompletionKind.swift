/// The completion of an argument's value in a shell.
@_spi(Baton) public enum CompletionKind: Sendable, Equatable {
    /// No completion.
    case none

    /// File names; with extensions (without dots), only files with one of the extensions, and directories on the way.
    case file(extensions: [String] = [])

    /// Directory names.
    case directory

    /// Words from a short list.
    case list([String])

    /// Words that only the running program knows: a kind of words, for the hidden command of a ``CompletionQuestion``.
    case asked(String)
}
