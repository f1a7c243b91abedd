@_spi(Baton) public import BatonOperations

/// An array in the record on whose elements other arrays may depend one by one.
@_spi(Baton) public struct StoredElements: Hashable, Sendable {
    /// The indices of the elements; nil for what is no array.
    public var range: Range<UInt32>?
    /// How the finished elements have ended.
    public var ends: ElementEnds

    /// Describes an array.
    public init(range: Range<UInt32>?, ends: ElementEnds = ElementEnds()) {
        self.range = range
        self.ends = ends
    }
}
