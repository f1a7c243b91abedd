/// The protocol versions of a peer, as stated in its hello.
@_spi(Baton) public struct ProtocolRange: Hashable, Sendable, CustomStringConvertible {
    /// The oldest version that the peer speaks.
    public var oldest: UInt16
    /// The newest version that the peer speaks.
    public var newest: UInt16

    /// The versions of this build.
    public static let own = ProtocolRange(oldest: ProtocolVersion.oldest, newest: ProtocolVersion.newest)

    /// States a range of versions.
    public init(oldest: UInt16, newest: UInt16) {
        self.oldest = oldest
        self.newest = newest
    }

    /// Returns the newest version that both peers speak, or nil.
    public func common(with other: ProtocolRange) -> UInt16? {
        let version = min(newest, other.newest)
        return version >= max(oldest, other.oldest) ? version : nil
    }

    /// Returns the version for the answer to a peer whose hello was accepted.
    public func agreed(with other: ProtocolRange) -> UInt16 { common(with: other) ?? newest }

    /// The range in a sentence: `version 1`, or `versions 2 to 4`.
    public var description: String {
        oldest == newest ? "version \(oldest)" : "versions \(oldest) to \(newest)"
    }
}
