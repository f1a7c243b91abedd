/// A random number that names one connection life of a worker; a worker that comes back has a new one.
@_spi(Baton) public struct SessionID: RawRepresentable, Hashable, Sendable {
    /// The number.
    public let rawValue: UInt64

    /// Makes a session's name out of its number.
    public init(rawValue: UInt64) {
        self.rawValue = rawValue
    }

    /// Hashes as a key of a dictionary: a number by itself takes half the time, which is spent with each attempt.
    public func _rawHashValue(seed: Int) -> Int { rawValue._rawHashValue(seed: seed) }
}
