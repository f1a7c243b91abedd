/// The outcome of a submission.
@_spi(Baton) public enum SubmissionOutcome: Hashable, Sendable {
    /// The batch system has the job, with this number or name.
    case accepted(String)
    /// The batch system has not taken the job, for the reason in the sentence.
    case refused(String)
    /// The outcome is unknown, for the reason in the sentence; the list of jobs will show the outcome.
    case unknown(String)
}
