/// The tokens by which a worker names the copies of files that it makes for nobody's attempt.
///
/// A worker asks for a piece of a file in the name of an attempt; a copy that is to be made has a name of the same form, which no attempt
/// has: no coordinator has as many starts.
@_spi(Baton) extension AttemptToken {
    private static let epochOfCopies: UInt32 = 1 << 24 - 1

    /// The name of a copy, by a number of the worker's own.
    public static func copy(_ number: UInt64) -> AttemptToken { AttemptToken(epoch: epochOfCopies, serial: number) }

    /// Whether a copy has the name, and no attempt.
    public var isOfCopy: Bool { epoch == Self.epochOfCopies && incarnation == .unknown }
}
