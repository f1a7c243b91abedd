@_spi(Baton) import BatonOperations
import Synchronization

/// A submission without an answer, kept as it was sent: a repetition under its key is taken once (L4).
final class UnansweredSubmission: Sendable {
    /// What the program knows of a submission's end.
    enum Finding: Sendable {
        /// The coordinator may have accepted the submission.
        case unknown
        /// The submission became a job.
        case made(JobNumber)
        /// The coordinator has not accepted the submission, and will not.
        case notMade
    }

    let submission: Submission
    /// Whether the operations were added as one job.
    let isGroup: Bool
    private let state: Mutex<Finding>

    init(_ submission: Submission, isGroup: Bool, _ finding: Finding) {
        self.submission = submission
        self.isGroup = isGroup
        state = Mutex(finding)
    }

    /// What the program knows by now.
    var finding: Finding {
        get { state.withLock(\.self) }
        set { state.withLock { $0 = newValue } }
    }

    /// The key of the submission, in a form for sentences.
    var key: String { (submission.key ?? "").asShown }
}

/// The addition of an operation by a submission without an answer.
struct UnansweredAddition: Sendable {
    let submission: UnansweredSubmission
    /// The position of the operation in the submission.
    let index: Int
    let queue: DistributedOperationQueue
    /// Whether nobody awaits the addition, so that the line keeps it, and the changes since then after it.
    let isKept: Bool
    /// The dependencies that the program had named at the failure of the addition.
    var dependencies: [OperationDependency] = []
    /// The dependencies on operations that had not been added then.
    var missing: [OperationDependency] = []

    /// Whether the addition to a queue repeats this one.
    func isRepeated(by other: DistributedOperationQueue, asBarrier isBarrier: Bool) -> Bool {
        other.name == queue.name && other.cluster.coordinator == queue.cluster.coordinator
            && submission.submission.entries[index].isBarrier == isBarrier
    }
}

extension ClusterError {
    /// The error for an addition that failed without an answer; it may have been made.
    func ofUnansweredAddition(_ submission: UnansweredSubmission) -> ClusterError {
        ClusterError(
            code,
            "\(message) The addition may have been made. Add the same objects again in the same way: this repeats the request under "
                + "its key \"\(submission.key)\", and adds nothing twice.",
            path: path
        )
    }

    /// The error for an addition that is another one than the addition without an answer of the same objects.
    static func isNoRepetition(of submission: UnansweredSubmission, name: String?) -> ClusterError {
        let count = submission.submission.entries.count
        let operations = count == 1 ? "1 operation" : "\(count) operations"
        let form = submission.isGroup ? "one addition of \(operations)" : "an addition of its own"
        return ClusterError(
            .uncertain,
            "The operation\(name.map { " \"\($0.asShown)\"" } ?? "") may be in the cluster: an earlier addition, with the key "
                + "\"\(submission.key)\", has had no answer. Repeat it as it was, \(form) to the same queue, or look for it in the "
                + "cluster and make another object."
        )
    }

    /// Whether a refusal under a key shows that the coordinator knows no submission with the key.
    var provesAbsence: Bool { concernsContent && code != .notAllowed }
}
