/// Where the values of an ``Argument`` that is an array come from.
public enum ArgumentArrayParsingStrategy: Sendable {
    /// All that no earlier argument has taken.
    case remaining

    /// All after the first `--`, word for word; before it there are none.
    case postTerminator

    var kind: ArgumentDefinition.Kind {
        switch self {
        case .remaining: .positional
        case .postTerminator: .passthrough
        }
    }
}
