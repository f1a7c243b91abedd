/// A change of a connection while requests are outstanding.
@_spi(Baton) public enum ClientNotice: Hashable, Sendable {
    /// The coordinator went away; the client sends the requests again as soon as the coordinator is back.
    case away
    /// The coordinator is back.
    case back
}
