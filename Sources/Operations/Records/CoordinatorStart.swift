/// The record of one start of a coordinator.
@_spi(Baton) public struct CoordinatorStart: Hashable, Sendable {
    /// The random number drawn at the start.
    public var incarnation: Incarnation
    /// The number of the next job at the time of the start: earlier starts know no job from this number on.
    public var firstJob: JobNumber

    /// Describes a start.
    public init(_ incarnation: Incarnation, firstJob: JobNumber) {
        self.incarnation = incarnation
        self.firstJob = firstJob
    }
}
