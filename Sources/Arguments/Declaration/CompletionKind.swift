/// How a shell completes the value of an argument.
public enum CompletionKind: Sendable, Equatable {
    /// Not at all.
    case none

    /// With the names of files; with extensions (without dots), only such files, and directories on the way.
    case file(extensions: [String] = [])

    /// With the names of directories.
    case directory

    /// With one of a few words.
    case list([String])
}
