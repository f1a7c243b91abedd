/// How long a takeover has taken, from the end of the first coordinator.
package struct Failover: Hashable, Sendable {
    /// The number of operations without an acknowledged end when the first coordinator was killed.
    package var unfinished = 0
    /// The processor time to read the record and to make the state of it.
    package var reading = Duration.zero
    /// The time until the second coordinator led: the lease of the first, and the reading.
    package var untilLeading = Duration.zero
    /// The time until all workers were back.
    package var untilBack = Duration.zero
    /// The time until all workers were back and an operation had started again.
    package var untilStarts = Duration.zero

    /// Nothing measured yet.
    package init() {}
}
