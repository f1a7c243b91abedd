@_spi(Baton) public import BatonOperations

/// A message from the coordinator to a client.
@_spi(Baton) public enum ClientReply: Hashable, Sendable {
    /// The answer to a hello: the version to speak, and the coordinator's build and epoch.
    case welcome(protocolVersion: UInt16, version: String, epoch: UInt32)
    /// The answer to a refused hello.
    case refused(Refusal)
    /// The answer to the request with the same number.
    case reply(UInt64, Reply)
}
