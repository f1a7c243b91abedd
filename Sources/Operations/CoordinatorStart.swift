/// What the record keeps of one start of a coordinator.
public struct CoordinatorStart: Hashable, Sendable {
    /// The random number that it drew.
    public var incarnation: Incarnation
    /// The number that the next job had: the starts before this one know of none from here on.
    public var firstJob: JobNumber

    /// Describes a start.
    public init(_ incarnation: Incarnation, firstJob: JobNumber) {
        self.incarnation = incarnation
        self.firstJob = firstJob
    }
}
