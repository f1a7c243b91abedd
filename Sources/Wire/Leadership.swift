@_spi(Baton) public import BatonOperations

/// The place of a coordinator's start among all starts on one record.
@_spi(Baton) public struct LeaderRank: Hashable, Sendable {
    /// The incarnation of the record's first start, which tells records apart.
    public var record: Incarnation
    /// The coordinator's epoch, which every start on the record raises.
    public var epoch: UInt32
    /// The coordinator's incarnation.
    public var incarnation: Incarnation

    /// States the rank of a coordinator.
    public init(record: Incarnation, epoch: UInt32, incarnation: Incarnation) {
        self.record = record
        self.epoch = epoch
        self.incarnation = incarnation
    }

    /// Whether the coordinator leads in place of another one: it has the same record, and a higher epoch.
    ///
    /// The coordinators of different records have nothing to do with each other, and none outranks the other.
    public func outranks(_ other: LeaderRank) -> Bool { record == other.record && epoch > other.epoch }
}

/// A worker's question to one of several addresses, whether a coordinator leads there; since version 2.
///
/// It needs no session, and changes nothing.
@_spi(Baton) public struct LeaderInquiry: Hashable, Sendable {
    /// The protocol versions of the worker.
    public var protocols: ProtocolRange
    /// The worker's build, for people.
    public var version: String
    /// The highest rank that the worker knows of; nil if it has met no coordinator.
    public var known: LeaderRank?

    /// Asks a coordinator whether it leads.
    public init(protocols: ProtocolRange = .own, version: String, known: LeaderRank? = nil) {
        self.protocols = protocols
        self.version = version
        self.known = known
    }
}

/// Whether a coordinator leads, and otherwise which one does, as far as it knows; since version 2.
@_spi(Baton) public struct Leadership: Hashable, Sendable {
    /// Whether the sender leads, with this rank.
    public var isLeading: Bool
    /// The rank of the sender that leads, or of the leader that the sender knows of; nil if it knows of none.
    public var rank: LeaderRank?
    /// The leader's address, for people; nil if the sender knows of none.
    public var leader: String?

    /// The most bytes of the leader's address.
    public static let maximumAddressLength = 512

    /// States who leads.
    public init(isLeading: Bool, rank: LeaderRank? = nil, leader: String? = nil) {
        self.isLeading = isLeading
        self.rank = rank
        self.leader = leader
    }
}
