/// The source of the values of an ``Argument`` with an array value.
@_spi(Baton) public enum ArgumentArrayParsingStrategy: Sendable {
    /// All arguments not taken by an earlier declaration.
    case remaining

    /// All arguments after the first `--`, unchanged; never an argument before `--`.
    case postTerminator

    /// The first argument that is no option of the command, and all arguments after it, unchanged.
    case captureForPassthrough

    var kind: ArgumentDefinition.Kind {
        switch self {
        case .remaining: .positional
        case .postTerminator: .passthrough
        case .captureForPassthrough: .captured
        }
    }
}
