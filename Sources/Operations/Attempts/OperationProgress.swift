/// The progress of a running operation, as reported by itself.
@_spi(Baton) public struct OperationProgress: Hashable, Sendable {
    /// Complete progress, in millionths.
    public static let whole: UInt32 = 1_000_000

    /// The fraction in millionths, from 0 to ``whole``.
    public let millionths: UInt32
    /// A text for people about the current work; nil if the operation gave none.
    public var message: String?

    /// Describes progress by a fraction.
    ///
    /// - Parameter fraction: from 0 to 1; a value outside counts as the nearer end, and NaN counts as 0 (PG4).
    public init(fraction: Double, message: String? = nil) {
        // Rounds, since the product may be slightly less than a whole number (0.000249 would lose a millionth). rounded() would
        // need the C library's mathematics. NaN is not above 0.
        millionths = fraction > 0 ? UInt32(min(fraction, 1) * Double(Self.whole) + 0.5) : 0
        self.message = message
    }

    /// Describes progress in millionths; values above ``whole`` count as ``whole``.
    public init(millionths: UInt32, message: String? = nil) {
        self.millionths = min(millionths, Self.whole)
        self.message = message
    }

    /// The fraction, from 0 to 1.
    public var fraction: Double { Double(millionths) / Double(Self.whole) }
}
