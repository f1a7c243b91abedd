/// What happens to a connection while somebody waits for answers.
public enum ClientNotice: Hashable, Sendable {
    /// The coordinator went away; it is asked again as soon as it is back.
    case away
    /// The coordinator is there again.
    case back
}
