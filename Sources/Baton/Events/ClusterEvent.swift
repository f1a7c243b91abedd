public import Foundation

/// A change in the cluster, in the one ordered stream of all changes.
///
/// ```swift
/// for try await event in cluster.events(since: nil) {
///     if case .jobFinished(let number, let outcome, _) = event.kind { print("job \(number): \(outcome)") }
/// }
/// ```
public struct ClusterEvent: Hashable, Sendable {
    /// What changed.
    public enum Kind: Hashable, Sendable {
        /// An operation, or as many neighbouring operations of a job as the count says.
        case operation(OperationAddress, count: Int, OperationChange)
        /// A job was submitted.
        case jobSubmitted(Int, operations: Int)
        /// The last operation of a job is finished.
        case jobFinished(Int, JobOutcome, Job.Counts)
        /// A queue was made or deleted, or its settings changed.
        case queue(String)
        /// A worker came, fell silent or went; the reason is that of a failing one.
        case worker(String, state: String, reason: String?)
        /// Somebody asked for something to be done with a worker: `drain`, `undrain`, `stop`, `stop now` or `forget`.
        case workerRequest(String, request: String)
        /// So many events are no longer kept.
        case missed(Int)
        /// A change of a kind that a later version of the coordinator tells of.
        case other
    }

    /// The number of the event, from 1; an event about several operations takes a number for each.
    public let sequence: UInt64
    /// The time of the change.
    public let time: Date
    /// What changed.
    public let kind: Kind
    /// Who asked for the change, by the name of a key; nil if nobody is known or asked.
    public let by: String?
}
