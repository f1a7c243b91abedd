import BatonOperations
import BatonScheduler
import BatonStore
import BatonWire
import BatonZeroMQ

extension CoordinatorCore {
    /// Takes a client's submission, or refuses it for what was found in the check.
    func submit(_ submission: Submission, _ checked: Result<ValidatedSubmission, Refusal>, for client: ReplyAddress) {
        switch checked {
        case .success(let validated):
            submit(validated, for: client)
        case .failure(let refusal):
            guard let key = submission.key, openKeys[key] == nil else { return send(.refused(refusal), to: client) }
            openKeys[key] = []
            refuse(submission, with: refusal, for: client)
        }
    }

    /// Takes a client's submission.
    ///
    /// Those with the same key go one after the other: a later one is looked at when the earlier one is a job or refused.
    func submit(_ validated: ValidatedSubmission, for client: ReplyAddress) {
        if let key = validated.submission.key {
            guard openKeys[key] == nil else {
                openKeys[key]?.append((validated, client))
                return
            }
            openKeys[key] = []
        }
        submit(LookedUpSubmission(validated), for: client)
    }

    /// Submits, after asking the record about what the scheduler does not hold: the key, and finished dependencies.
    func submit(_ lookedUp: LookedUpSubmission, for client: ReplyAddress) {
        if let key = lookedUp.submission.key, keysBeingKept[key] != nil {
            // It was taken before, and its client is told once it is on disk, however long that takes.
            afterCommit.append(.submission(lookedUp.validated, client))
            release(key: key)
            return
        }
        if let refusal = storeRefusal() {
            return refuse(lookedUp.submission, isKeyNew: lookedUp.isKeyNew, with: refusal, for: client)
        }
        let unheld = scheduler.unheldDependencies(of: lookedUp.submission).subtracting(lookedUp.settled.keys)
        let key = lookedUp.isKeyNew ? nil : lookedUp.submission.key
        let isKeyUnknown = key.map { scheduler.job(withKey: $0) == nil } ?? false
        guard !unheld.isEmpty || isKeyUnknown else {
            let request = expectAnswer(for: client)
            apply(.submit(lookedUp.validated, settled: lookedUp.settled, request: request))
            release(key: lookedUp.submission.key)
            return
        }
        let pinned = Set(unheld.union(lookedUp.settled.keys).map(\.job))
        read(pinning: pinned) { store throws(StoreError) in
            try Self.lookUp(lookedUp, key: key, unheld: unheld, store)
        } then: { result in
            switch result {
            case .success(let outcome): .submission(outcome, key: lookedUp.submission.key, from: client)
            case .failure(let error): .submissionUnread(lookedUp, error, from: client)
            }
        }
    }

    /// Refuses a submission, unless the record has a job with its key: an earlier copy of it was taken, and only the answer to
    /// that was lost.
    ///
    /// - Parameter isKeyNew: whether the record is known to have no job with its key.
    func refuse(_ submission: Submission, isKeyNew: Bool = false, with refusal: Refusal, for client: ReplyAddress) {
        guard let key = submission.key, !isKeyNew else {
            send(.refused(refusal), to: client)
            return release(key: submission.key)
        }
        read(toleratingFailure: true) { store throws(StoreError) in
            try Self.answer(to: submission, withKey: key, store)
        } then: { result in
            // Where even that cannot be read, it is refused for what was wrong first.
            let known = if case .success(let answer) = result { answer } else { SubmissionAnswer?.none }
            return .submission(.failure(known ?? SubmissionAnswer(reply: .refused(refusal))), key: key, from: client)
        }
    }

    /// Lets the submissions that waited for one with the same key go on.
    func release(key: String?) {
        guard let key, let waiting = openKeys.removeValue(forKey: key) else { return }
        for (submission, client) in waiting { submit(submission, for: client) }
    }

    /// What a submission is answered whose key the record knows.
    private static func answer(
        to submission: Submission,
        withKey key: String,
        _ store: any Store
    ) throws(StoreError) -> SubmissionAnswer? {
        guard let job = try store.job(withKey: key) else { return nil }
        guard !submission.differs(fromDigest: job.keyDigest) else {
            return SubmissionAnswer(reply: .refused(.otherSubmission(withKey: key, ofJob: job.number)))
        }
        return SubmissionAnswer(reply: .job(job.number, operations: UInt32(clamping: job.operations), isNew: false))
    }

    private static func lookUp(
        _ lookedUp: LookedUpSubmission,
        key: String?,
        unheld: Set<Address>,
        _ store: any Store
    ) throws(StoreError) -> Result<LookedUpSubmission, SubmissionAnswer> {
        if let key, let answer = try answer(to: lookedUp.submission, withKey: key, store) { return .failure(answer) }
        var result = lookedUp
        result.isKeyNew = true
        for address in unheld {
            var resolved = address
            if case .named(let job, let name) = address, let range = try store.operations(named: name, in: job),
                range.count == 1
            {
                // An array keeps its name.
                resolved = .operation(OperationID(job: job, index: range.lowerBound))
            }
            guard let fate = try store.settled(resolved) else {
                let sentence =
                    "The submission depends on \(address.asShown), which does not exist (any more). See \"baton list\"."
                return .failure(SubmissionAnswer(reply: .refused(Refusal(.unknownDependency, sentence))))
            }
            result.settled[resolved] = fate
            if resolved != address { result.validated.replaceDependency(on: address, with: resolved) }
        }
        return .success(result)
    }
}
