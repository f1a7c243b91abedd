/// What a client hears of its connection while requests are outstanding.
@_spi(Baton) public enum ClientNotice: Hashable, Sendable {
    /// The coordinator went away; the client sends the requests again as soon as the coordinator is back.
    case away
    /// The coordinator is back.
    case back
    /// The coordinator is present, and has not answered a change for ``ClientOptions/lateAfter``.
    ///
    /// It answers once the change is on its disk.
    case late
}
