@_spi(Baton) public import BatonOperations

/// A message from the coordinator to a client.
@_spi(Baton) public enum ClientReply: Hashable, Sendable {
    /// The answer to a hello: the version to speak, and the coordinator's build and epoch.
    ///
    /// The rank is that of the coordinator, and travels from version 2 on; a coordinator of version 1 tells none.
    case welcome(protocolVersion: UInt16, version: String, epoch: UInt32, rank: LeaderRank? = nil)
    /// The answer to a hello of a coordinator that does not lead, and what it says once one leads; since version 2.
    ///
    /// A coordinator that does not lead leaves all requests unanswered.
    case leadership(Leadership)
    /// The answer to a refused hello.
    case refused(Refusal)
    /// Another answer to a hello, after the welcome: the coordinator has read so much of the client's earliest unread large request, in
    /// whole percent, and performs it afterwards (D14).
    ///
    /// A client that speaks version 1 of the protocol does not get it.
    case reading(percent: UInt8)
    /// The answer to the request with the same number.
    case reply(UInt64, Reply)
}
