@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonScheduler
@_spi(Baton) import BatonStore
@_spi(Baton) import BatonWire

/// Adds operations to open jobs.
///
/// An addition passes the record's lookup, if its dependencies are not known, and then the scheduler, as a submission does. The
/// scheduler knows the keys of all additions to unfinished jobs, and the record those to finished ones.
extension CoordinatorCore {
    /// Adds a client's operations to a job, or refuses them with the refusal of the validation.
    func add(_ checked: Result<ValidatedSubmission, Refusal>, to job: JobNumber, for client: ReplyAddress) {
        switch checked {
        case .success(let validated): add(LookedUpSubmission(validated), to: job, for: client)
        case .failure(let refusal): send(.refused(refusal), to: client)
        }
    }

    /// Adds operations to a job; first asks the record about finished dependencies and a key that the scheduler does not know.
    func add(_ lookedUp: LookedUpSubmission, to job: JobNumber, for client: ReplyAddress) {
        if let refusal = storeRefusal() { return send(.refused(refusal), to: client) }
        let submission = lookedUp.submission
        guard scheduler.counts(of: job) != nil else { return answerAddition(submission, toFinished: job, for: client) }
        let isKnown = submission.key.map { scheduler.hasAddition(withKey: $0, to: job) } ?? false
        // A large submission takes seconds until its key is known to the scheduler.
        if let key = submission.key, !isKnown, keys.isUnderDecision(key) {
            return send(.refused(.submissionUnderWay(withKey: key)), to: client)
        }
        let unknown =
            isKnown ? [] : scheduler.unknownDependencies(of: submission).subtracting(lookedUp.ends.keys)
        let elements = isKnown ? [] : unknownElements(of: lookedUp.validated)
        let newKey = submission.key.flatMap { key in
            // A client draws a key of its own for one addition alone.
            isKnown || lookedUp.isKeyNew || Submission.isOwn(key: key) || scheduler.job(withKey: key) != nil ? nil : key
        }
        guard !unknown.isEmpty || !elements.isEmpty || newKey != nil else {
            let request = answers.expect(for: client)
            let event = Event.add(lookedUp.validated, to: job, ends: lookedUp.ends, request: request)
            return apply(event, knowing: lookedUp.files)
        }
        lookUp(for: client, pinning: lookedUp.jobs(of: unknown.union(elements))) { store throws(StoreError) in
            if let key = newKey, let other = try store.job(withKey: key)?.number {
                return .failure(.otherSubmission(withKey: key, ofJob: other))
            }
            // The same addition may have been recorded since: then the scheduler answers it as a repetition.
            if let key = newKey, let other = try store.jobOfAddition(withKey: key), other != job {
                return .failure(.otherAddition(withKey: key, to: other))
            }
            return switch try Self.lookUp(lookedUp, key: nil, unknown: unknown, elements: elements, store) {
            case .success(let outcome): .success(.addition(outcome, to: job, from: client))
            case .failure(let answer):
                .success(.answer(PreparedReply(answer.reply, to: client), to: client))
            }
        }
    }

    /// Answers an addition to a job that the scheduler does not know: the addition may be a repetition.
    private func answerAddition(_ submission: Submission, toFinished job: JobNumber, for client: ReplyAddress) {
        let (key, digest) = (submission.key, submission.keyDigest)
        answerFromStore(client) { store throws(StoreError) in
            guard try store.job(job) != nil else { return .refused(.noSuch(.job(job))) }
            guard let key, let done = try store.addition(to: job, withKey: key) else { return .refused(.finished(job)) }
            if let digest, let known = done.keyDigest, digest != known {
                return .refused(.otherAddition(withKey: key, to: job))
            }
            return .added(job, first: done.first, operations: done.operations, isNew: false)
        }
    }
}
