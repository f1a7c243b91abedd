@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonScheduler
@_spi(Baton) import BatonStore
@_spi(Baton) import BatonWire
@_spi(Baton) import BatonZeroMQ

/// Accepts submissions.
///
/// A submission passes the record's lookup, if the record may know its key or its dependencies, and then the scheduler. The
/// new job and the reply go to ``CommitQueue``, where the job becomes durable before the client gets the reply.
extension CoordinatorCore {
    /// Accepts a client's submission, or refuses the submission with the refusal of the validation.
    ///
    /// - Parameter parts: the parts in which the job comes into the record; nil for a job that comes as a whole.
    func submit(
        _ submission: Submission,
        _ checked: Result<ValidatedSubmission, Refusal>,
        in parts: JobParts?,
        for client: ReplyAddress
    ) {
        switch checked {
        case .success(let validated):
            submit(validated, in: parts ?? smallParts(of: validated), for: client)
        case .failure(let refusal):
            guard let key = submission.key, !keys.isUnderDecision(key) else {
                return send(.refused(refusal), to: client)
            }
            keys.begin(key)
            refuse(submission, with: refusal, for: client)
        }
    }

    /// Accepts a client's submission.
    ///
    /// Submissions with the same key proceed one at a time: a later submission waits until the earlier submission has become
    /// a job or has been refused.
    ///
    /// - Parameters:
    ///   - condition: the condition of a retry; nil if there is none.
    ///   - parts: the parts in which the job comes into the record; nil for a job that comes as a whole.
    func submit(
        _ validated: ValidatedSubmission,
        _ condition: UnlessRetried? = nil,
        in parts: JobParts? = nil,
        for client: ReplyAddress
    ) {
        if let key = validated.submission.key {
            guard !keys.isUnderDecision(key) else { return keys.append(validated, condition, from: client, to: key) }
            keys.begin(key)
        }
        submit(LookedUpSubmission(validated, condition, in: parts), for: client)
    }

    /// Submits a job; first asks the record about a key and finished dependencies that the scheduler does not know.
    func submit(_ lookedUp: LookedUpSubmission, for client: ReplyAddress) {
        if let key = lookedUp.submission.key, keys.isUncommitted(key) {
            // An earlier submission with this key was accepted. The client gets the reply once the job is on disk, however
            // long the commit takes.
            commits.append(.submission(lookedUp.validated, lookedUp.condition, client))
            resumeSubmissions(withKey: key)
            return
        }
        if let refusal = storeRefusal() {
            return refuse(lookedUp.submission, isKeyNew: lookedUp.isKeyNew, with: refusal, for: client)
        }
        var lookedUp = lookedUp
        lookedUp.dropLostSources { areHeld($0.files) }
        // A submission in parts depends on no other job.
        let unknown =
            lookedUp.arrival == nil
            ? scheduler.unknownDependencies(of: lookedUp.submission).subtracting(lookedUp.ends.keys) : []
        let elements = lookedUp.arrival == nil ? unknownElements(of: lookedUp.validated) : []
        let key = lookedUp.isKeyNew ? nil : lookedUp.submission.key
        let isKeyUnknown = key.map { scheduler.job(withKey: $0) == nil } ?? false
        guard !unknown.isEmpty || !elements.isEmpty || isKeyUnknown || lookedUp.isReuseUnknown else {
            if let condition = lookedUp.condition,
                latestRetries.mayHaveRetry(of: condition.request.job, since: condition.moment)
            {
                // The record, asked once more, knows that retry, and whether it is this request.
                retry(condition.request, for: client)
                return resumeSubmissions(withKey: lookedUp.submission.key)
            }
            let isRepeated = lookedUp.submission.key.map { scheduler.job(withKey: $0) != nil } ?? false
            if let arrival = lookedUp.arrival, !arrival.parts.areStored, !isRepeated {
                return storePart(of: lookedUp, arrival, for: client)
            }
            if let errand = client.errand, !schedules.awaits(errand) {
                // The schedule was paused or removed while the record was asked.
                return resumeSubmissions(withKey: lookedUp.submission.key)
            }
            if !isRepeated, let refusal = objection(toSentFilesOf: lookedUp.submission) {
                return refuse(lookedUp.submission, isKeyNew: lookedUp.isKeyNew, with: refusal, for: client)
            }
            let request = answers.expect(for: client)
            let event = Event.submit(
                lookedUp.validated,
                ends: lookedUp.ends,
                reserved: lookedUp.arrival?.job,
                request: request
            )
            apply(event, knowing: lookedUp.files + lookedUp.reusedFiles)
            resumeSubmissions(withKey: lookedUp.submission.key)
            return
        }
        lookUp(lookedUp, key: key, unknown: unknown, elements: elements, for: client)
    }

    /// The most dependencies that the record looks up between two commits; each takes some microseconds.
    static let mostLookedUpBetweenCommits = 1_000

    /// Asks the record about a key, about dependencies and about an earlier job: about much of it beside the commits.
    private func lookUp(
        _ lookedUp: LookedUpSubmission,
        key: String?,
        unknown: Set<Address>,
        elements: Set<Address>,
        for client: ReplyAddress
    ) {
        let pinned = lookedUp.jobs(of: unknown.union(elements))
        let next: @Sendable (Result<Result<LookedUpSubmission, SubmissionReply>, StoreError>) -> CoordinatorTask = {
            switch $0 {
            case .success(let outcome): .submission(outcome, key: lookedUp.submission.key, from: client)
            case .failure(let error): .submissionUnread(lookedUp, error, from: client)
            }
        }
        guard unknown.count > Self.mostLookedUpBetweenCommits || !elements.isEmpty || lookedUp.isReuseUnknown else {
            return read(
                pinning: pinned,
                { store throws(StoreError) in
                    try Self.lookUp(lookedUp, key: key, unknown: unknown, elements: elements, store)
                },
                then: next
            )
        }
        readBeside(
            pinning: pinned,
            isLong: true,
            { store throws(StoreError) in
                try Self.lookUp(lookedUp, key: key, unknown: unknown, elements: elements, store)
            },
            then: next
        )
    }

    /// Refuses a submission, unless the record has a job with the same key: then an earlier copy of the submission was
    /// accepted and only the reply was lost.
    ///
    /// - Parameter isKeyNew: whether the record is known to have no job with the key.
    func refuse(_ submission: Submission, isKeyNew: Bool = false, with refusal: Refusal, for client: ReplyAddress) {
        guard let key = submission.key, !isKeyNew else {
            send(.refused(refusal), to: client)
            return resumeSubmissions(withKey: submission.key)
        }
        read(toleratingFailure: true) { store throws(StoreError) in
            try Self.answer(toKey: key, digest: submission.keyDigest, store)
        } then: { result in
            // If the record cannot be read either, the client gets the original refusal.
            let known = if case .success(let answer) = result { answer } else { SubmissionReply?.none }
            return .submission(.failure(known ?? SubmissionReply(reply: .refused(refusal))), key: key, from: client)
        }
    }

    /// Continues with the submissions that waited for a submission with the same key.
    func resumeSubmissions(withKey key: String?) {
        guard let key else { return }
        for waiting in keys.end(key) { submit(waiting.submission, waiting.condition, for: waiting.client) }
    }

    /// The reply to a submission or a retry whose key is in the record; nil if the record has neither a job nor an addition with
    /// the key.
    ///
    /// - Parameter digest: the digest of the request; nil if unknown.
    static func answer(
        toKey key: String,
        digest: UInt64?,
        _ store: any RecordReader
    ) throws(StoreError) -> SubmissionReply? {
        guard let job = try store.job(withKey: key) else {
            // A client draws a key of its own for one submission alone.
            let other = Submission.isOwn(key: key) ? nil : try store.jobOfAddition(withKey: key)
            return other.map { SubmissionReply(reply: .refused(.otherAddition(withKey: key, to: $0))) }
        }
        if let digest, let known = job.keyDigest, digest != known {
            return SubmissionReply(reply: .refused(.otherSubmission(withKey: key, ofJob: job.number)))
        }
        return SubmissionReply(reply: .job(job.number, operations: UInt32(clamping: job.operations), isNew: false))
    }

    /// Adds the record's data about a key and about dependencies that the scheduler does not know.
    static func lookUp(
        _ lookedUp: LookedUpSubmission,
        key: String?,
        unknown: Set<Address>,
        elements: Set<Address>,
        _ store: any RecordReader
    ) throws(StoreError) -> Result<LookedUpSubmission, SubmissionReply> {
        if let key, let answer = try answer(toKey: key, digest: lookedUp.submission.keyDigest, store) {
            return .failure(answer)
        }
        var result = lookedUp
        result.isKeyNew = true
        for address in unknown {
            var resolved = address
            if case .named(let job, let name) = address, let range = try store.operations(named: name, in: job),
                range.count == 1
            {
                // Only a single operation's name is replaced by its address; an array keeps its name.
                resolved = .operation(OperationID(job: job, index: range.lowerBound))
            }
            guard let fate = try store.dependencyEnd(of: resolved) else {
                let sentence =
                    "The submission depends on \(address.asShown), which does not exist (any more)."
                    + Refusal.hint(for: address)
                return .failure(SubmissionReply(reply: .refused(Refusal(.unknownDependency, sentence))))
            }
            result.ends[resolved] = fate
            if fate.hasFiles { result.files += try store.fileSources(of: resolved) }
            if resolved != address { result.validated.replaceDependency(on: address, with: resolved) }
        }
        for address in elements {
            if let refusal = try result.noteElements(of: address, store) {
                return .failure(SubmissionReply(reply: .refused(refusal)))
            }
        }
        // Last: dependencies on finished operations now have their addresses, as those of the earlier job have.
        if let refusal = try result.noteReused(store) {
            return .failure(SubmissionReply(reply: .refused(refusal)))
        }
        return .success(result)
    }
}
