/// A part of a run, with what the coordinator has used in it.
package struct Phase: Hashable, Sendable {
    /// The kind of a part.
    package enum Kind: String, CaseIterable, Sendable {
        /// All jobs are submitted, one after the other, before the first worker is there.
        case submission = "jobs arrive"
        /// The workers say hello, and get their first operations.
        case joining = "workers join"
        /// The operations until the failover, or all of them.
        case beforeFailover = "operations"
        /// From the end of the coordinator until all workers are back and operations start again.
        case failover = "failover"
        /// The rest of the operations.
        case afterFailover = "operations after it"
        /// All workers are there, and nothing is left to do.
        case idle = "idle"
    }

    /// The kind of the part.
    package let kind: Kind
    /// How long the part took, by the simulated clock.
    package var time = Duration.zero
    /// What the coordinator has used and moved.
    package var usage = Usage()
    /// How many operations were acknowledged as ended.
    package var ended = 0
    /// The bytes of the process's memory at the end, without the record on the disk in memory and without what the process had before
    /// the coordinator; nil where the system does not tell.
    package var memory: Int64?
    /// The bytes of the record and of its log at the end.
    package var recordSize = 0
}
