@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonStore
@_spi(Baton) import BatonWire

/// A client's request, whose operations for a job are validated.
enum ReceivedRequest: Sendable {
    /// Make a job of the operations; the submission has everything else. Large jobs come into the record in parts.
    case submit(Submission, Result<ValidatedSubmission, Refusal>, JobParts?)
    /// Add the operations to a job; the submission has everything else.
    case add(Submission, Result<ValidatedSubmission, Refusal>, to: JobNumber)
    /// A request without operations.
    case other(Request)

    /// Validates the operations of a request.
    ///
    /// What fails is freed here, off the coordinator's thread if it is large: freeing a million operations takes 100 ms.
    init(_ request: Request) {
        switch request {
        case .submit(let submission):
            let (rest, submission) = Self.parts(of: submission)
            let checked = Result { () throws(Refusal) in try ValidatedSubmission(submission) }
            let parts: JobParts? = if case .success(let valid) = checked { JobParts(valid.submission) } else { nil }
            self = .submit(rest, checked, parts)
        case .add(let submission, let job):
            let (rest, submission) = Self.parts(of: submission)
            self = .add(rest, Result { () throws(Refusal) in try ValidatedSubmission(addition: submission) }, to: job)
        default:
            self = .other(request)
        }
    }

    /// The request without the operations.
    var request: Request {
        switch self {
        case .submit(let submission, _, _): .submit(submission)
        case .add(let submission, _, let job): .add(submission, to: job)
        case .other(let request): request
        }
    }

    /// A submission without operations, and the whole of it, with the digest of a submission with a key that its user gave.
    private static func parts(of submission: Submission) -> (rest: Submission, whole: Submission) {
        var submission = submission
        if let key = submission.key, !Submission.isOwn(key: key) { submission.keyDigest = submission.digest }
        var rest = submission
        rest.entries = []
        rest.templates = []
        return (rest, submission)
    }
}
