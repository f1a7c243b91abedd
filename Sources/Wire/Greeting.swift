public import BatonOperations

/// The beginning of a hello, which has the same layout in all versions of the protocol.
///
/// It is all that is read of a peer with which there is no common version.
public struct Greeting: Hashable, Sendable {
    /// What the peer is.
    public enum Role: Hashable, Sendable, CustomStringConvertible {
        /// It runs operations.
        case worker
        /// It submits and asks.
        case client

        /// The word for it in a sentence.
        public var description: String {
            switch self {
            case .worker: "worker"
            case .client: "client"
            }
        }
    }

    /// What the peer is.
    public var role: Role
    /// The versions of the protocol that it speaks.
    public var protocols: ProtocolRange
    /// Its build, for people.
    public var build: String

    /// Describes a peer.
    public init(role: Role, protocols: ProtocolRange, build: String) {
        self.role = role
        self.protocols = protocols
        self.build = build
    }

    /// The coordinator's answer to a peer that speaks no common version: both ranges, both builds, and which side to
    /// upgrade.
    ///
    /// - Parameters:
    ///   - own: the versions that the coordinator speaks.
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
