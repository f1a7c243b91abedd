/// What the scheduler knows of consecutive operations of an unfinished job that were compared with the conditions of a filter.
@_spi(Baton) public struct ExaminedOperations: Equatable, Sendable {
    /// The operations that were compared.
    public internal(set) var indices: Range<UInt32>
    /// The unfinished operations that meet the conditions, in order.
    public internal(set) var unfinished: [Range<UInt32>] = []
    /// The finished operations that meet the condition for the name, in order; the record has to compare them with the others.
    public internal(set) var finished: [Range<UInt32>] = []
}
