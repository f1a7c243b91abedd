/// What a client hears of its connection while requests are outstanding.
@_spi(Baton) public enum ClientNotice: Hashable, Sendable {
    /// The coordinator went away; the client sends the requests again as soon as the coordinator is back.
    case away
    /// The coordinator accepts connections, and says nothing: it reads its record, or is stopped or overloaded; the client waits for it
    /// as for one that is away.
    case silent
    /// The coordinators that answer stand by; the client waits for one of them to lead, as for a coordinator that is away.
    case standingBy
    /// The coordinator is back.
    case back
    /// The coordinator is present, and has not answered a change for ``ClientOptions/lateAfter``.
    ///
    /// It answers once the change is on its disk.
    case late
    /// The coordinator is present, and has read so much of a large request, in whole percent; it performs the request afterwards.
    ///
    /// The last of these notices has 100, and comes before the answer.
    case reading(percent: Int)
}
