/// A small generator of random numbers, with the same sequence for the same seed on every machine.
///
/// The algorithm is SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014): suitable for
/// jitter and for tests that replay, not for secrets.
@_spi(Baton) public struct SplitMix: RandomNumberGenerator, Sendable {
    private var state: UInt64

    /// Starts at a seed.
    public init(seed: UInt64) {
        state = seed
    }

    /// Returns the next of all 64-bit numbers.
    public mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
