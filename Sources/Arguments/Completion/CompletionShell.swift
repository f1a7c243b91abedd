/// A shell with support for completion scripts.
@_spi(Baton) public enum CompletionShell: String, CaseIterable, Sendable, ExpressibleByArgument {
    /// The Bourne-again shell, 3.2 or newer.
    case bash
    /// The Z shell.
    case zsh
    /// The friendly interactive shell, 3.0 or newer.
    case fish
}
