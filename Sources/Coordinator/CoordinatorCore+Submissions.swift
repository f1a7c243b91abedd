import Operations
import Scheduler
import Store
import Wire
import ZeroMQ

extension CoordinatorCore {
    /// Takes a client's submission.
    ///
    /// Those with the same key go one after the other: a later one is looked at when the earlier one is a job or refused.
    ///
    /// - Parameter isChecked: whether it was found valid already.
    func submit(_ submission: Submission, isChecked: Bool = false, for client: ReplyAddress) {
        if let key = submission.key {
            guard openKeys[key] == nil else {
                openKeys[key]?.append((submission, client))
                return
            }
            openKeys[key] = []
        }
        submit(LookedUpSubmission(submission, isChecked: isChecked), for: client)
    }

    /// Submits, after asking the record about what the scheduler does not hold: the key, and finished dependencies.
    func submit(_ lookedUp: LookedUpSubmission, for client: ReplyAddress) {
        if let key = lookedUp.submission.key, keysBeingKept[key] != nil {
            // It was taken before, and its client is told once it is on disk, however long that takes.
            afterCommit.append(.submission(lookedUp.submission, client))
            release(key: key)
            return
        }
        if let refusal = storeRefusal() { return refuse(lookedUp, with: refusal, for: client) }
        let unheld = scheduler.unheldDependencies(of: lookedUp.submission).subtracting(lookedUp.settled.keys)
        let key = lookedUp.isKeyNew ? nil : lookedUp.submission.key
        let isKeyUnknown = key.map { scheduler.job(withKey: $0) == nil } ?? false
        guard !unheld.isEmpty || isKeyUnknown else {
            let (submission, settled, isChecked) = (lookedUp.submission, lookedUp.settled, lookedUp.isChecked)
            let request = expectAnswer(for: client)
            apply(.submit(submission, settled: settled, isChecked: isChecked, request: request))
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

    /// Refuses a submission that cannot be kept or looked up, unless the record has a job with its key: an earlier copy of
    /// it was taken, and only the answer to that was lost.
    func refuse(_ lookedUp: LookedUpSubmission, with refusal: Refusal, for client: ReplyAddress) {
        guard let key = lookedUp.submission.key, !lookedUp.isKeyNew else {
            send(.refused(refusal), to: client)
            return release(key: lookedUp.submission.key)
        }
        read(toleratingFailure: true) { store throws(StoreError) in
            try Self.answer(to: lookedUp.submission, withKey: key, store)
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
            if resolved != address { result.submission.replaceDependency(on: address, with: resolved) }
        }
        return .success(result)
    }
}

extension Submission {
    /// Gives a dependency of all entries another address.
    fileprivate mutating func replaceDependency(on address: Address, with resolved: Address) {
        for entry in entries.indices {
            for position in entries[entry].dependencies.indices
            where entries[entry].dependencies[position].target == .existing(address) {
                entries[entry].dependencies[position].target = .existing(resolved)
            }
        }
    }
}
