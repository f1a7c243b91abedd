@_spi(Baton) public import BatonOperations

/// The beginning of a hello, with the same layout in all versions of the protocol.
///
/// Without a common version, nothing else of a peer's hello is read.
@_spi(Baton) public struct Greeting: Hashable, Sendable {
    /// The role of a peer.
    public enum Role: Hashable, Sendable, CustomStringConvertible {
        /// A peer that runs operations.
        case worker
        /// A peer that submits and asks.
        case client

        /// The name of the role in a sentence.
        public var description: String {
            switch self {
            case .worker: "worker"
            case .client: "client"
            }
        }
    }

    /// The role of the peer.
    public var role: Role
    /// The protocol versions of the peer.
    public var protocols: ProtocolRange
    /// The build of the peer, for people.
    public var build: String

    /// Describes a peer.
    public init(role: Role, protocols: ProtocolRange, build: String) {
        self.role = role
        self.protocols = protocols
        self.build = build
    }

    /// Returns the coordinator's answer to a peer without a common version.
    ///
    /// The answer has both ranges, both builds, and the side to upgrade.
    ///
    /// - Parameters:
    ///   - own: the protocol versions of the coordinator.
    ///   - build: the coordinator's build.
    public func refusal(by own: ProtocolRange = .own, build: String) -> Refusal {
        let behind = protocols.oldest > own.newest ? "coordinator" : role.description
        return Refusal(
            .incompatible,
            "This \(role) (build \(self.build)) speaks protocol \(protocols), and the coordinator (build \(build)) "
                + "protocol \(own): they have none in common. Upgrade the \(behind)."
        )
    }
}
