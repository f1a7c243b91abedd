@_spi(Baton) import BatonClient
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWire

extension ClientConnection {
    /// Submits a job, and notes if no worker that is connected can ever take one of its operations (D16).
    ///
    /// - Parameter isTold: whether the user wants the note.
    func submit(_ submission: Submission, tellingUnplaceable isTold: Bool) async throws(ClientError) -> SubmittedJob {
        try await Self.telling(isTold && submission.mayBeUnplaceable) { isRejected throws(ClientError) in
            var question = submission
            if isRejected { question.rejectsUnplaceable = true }
            return try await submit(question)
        }
    }

    /// Adds operations to a job, and notes if no worker that is connected can ever take one of them (D16).
    ///
    /// - Parameter isTold: whether the user wants the note.
    func add(
        _ submission: Submission,
        to job: JobNumber,
        tellingUnplaceable isTold: Bool
    ) async throws(ClientError) -> AddedOperations {
        try await Self.telling(isTold && submission.mayBeUnplaceable) { isRejected throws(ClientError) in
            var question = submission
            if isRejected { question.rejectsUnplaceable = true }
            return try await add(question, to: job)
        }
    }

    /// Makes a request, and notes if no worker that is connected can ever take one of its operations (D16).
    ///
    /// The coordinator, which knows the workers, is first asked to refuse such operations.
    ///
    /// - Parameters:
    ///   - isTold: whether the user wants the note, and has not asked for the refusal.
    ///   - request: the request; its argument is whether the coordinator is to refuse.
    static func telling<Answer>(
        _ isTold: Bool,
        _ request: (_ isRejected: Bool) async throws(ClientError) -> Answer
    ) async throws(ClientError) -> Answer {
        guard isTold else { return try await request(false) }
        do throws(ClientError) {
            return try await request(true)
        } catch {
            // A coordinator of an earlier version does not know the question.
            guard let refusal = error.refusal, refusal.code == .unplaceable || refusal.isOfUnreadRequest else {
                throw error
            }
            if refusal.code == .unplaceable {
                Output.note("\(refusal.message) It waits for one that can. \(Advice.unplaceable)")
            }
            return try await request(false)
        }
    }
}

extension Submission {
    /// Whether it is worth a question whether there are workers for all operations.
    fileprivate var mayBeUnplaceable: Bool {
        !rejectsUnplaceable && templates.contains(where: \.maySuitNobody)
    }
}
