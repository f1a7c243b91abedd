@_spi(Baton) import BatonClient
@_spi(Baton) import BatonOperations

extension ClientConnection {
    /// Submits a job, and notes if no worker that is connected can ever take one of its operations (D16).
    ///
    /// The coordinator, which knows the workers, is first asked to refuse such a job.
    ///
    /// - Parameter isTold: whether the user wants the note.
    func submit(_ submission: Submission, tellingUnplaceable isTold: Bool) async throws(ClientError) -> SubmittedJob {
        guard isTold, !submission.rejectsUnplaceable, submission.templates.contains(where: \.hasRequest) else {
            return try await submit(submission)
        }
        var question = submission
        question.rejectsUnplaceable = true
        do throws(ClientError) {
            return try await submit(question)
        } catch {
            guard let refusal = error.refusal else { throw error }
            if refusal.code == .unplaceable {
                Output.note("\(refusal.message) It waits for one that can. \(Advice.unplaceable)")
            }
            // A coordinator of an earlier version does not know the question.
            return try await submit(submission)
        }
    }
}
