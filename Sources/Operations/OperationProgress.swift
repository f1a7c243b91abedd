/// How much of itself a running operation says is done.
public struct OperationProgress: Hashable, Sendable {
    /// All of it.
    public static let whole: UInt32 = 1_000_000

    /// The fraction in millionths, from 0 to ``whole``.
    public let millionths: UInt32
    /// What it is at, for people; nil where it did not say.
    public var message: String?

    /// Describes how much is done.
    ///
    /// - Parameter fraction: from 0 to 1; what lies outside, or is no number, counts as the nearer end (PG4).
    public init(fraction: Double, message: String? = nil) {
        // Rounded, since the product may be a little less than whole (0.000249 would lose a millionth); and not by
        // rounded(), which would need the C library's mathematics. What is no number is not above 0.
        millionths = fraction > 0 ? UInt32(min(fraction, 1) * Double(Self.whole) + 0.5) : 0
        self.message = message
    }

    /// Describes how much is done, in millionths; more than ``whole`` counts as that.
    public init(millionths: UInt32, message: String? = nil) {
        self.millionths = min(millionths, Self.whole)
        self.message = message
    }

    /// The fraction, from 0 to 1.
    public var fraction: Double { Double(millionths) / Double(Self.whole) }
}
