@_spi(Baton) import BatonLogging
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonScheduler
@_spi(Baton) import BatonStore
@_spi(Baton) import BatonWire
@_spi(Baton) import BatonZeroMQ

/// Passes changes to the record, asks the record, and continues after its commits and answers.
extension CoordinatorCore {
    // MARK: - Changes

    /// The present moment by the record's own clock.
    var recordTime: Timestamp { commits.clock.time(at: now) }

    /// Adds the record's clock to the gathered changes, unless other changes will add the clock anyway.
    package func commitClock() { commits.appendClock(at: now) }

    /// Passes all gathered changes to the recorder; the messages that wait for the commit are sent after the commit.
    package func flush() {
        passChanges()
        let followUps = commits.endGathering(at: now)
        if !followUps.isEmpty { carryOut(followUps) }
    }

    /// Passes the gathered changes to the recorder, with the totals after them.
    ///
    /// The effects of all events are carried out between two calls, so that the batch has exactly the changes behind the totals.
    private func passChanges() {
        if commits.hasChanges, let totals = takeChangedTotals() { commits.append(.totals(totals)) }
        guard var batch = commits.takeBatch(newestEvent: scheduler.newestEvent, at: now) else { return }
        if aheadOfOwnTime != .zero {
            let shownTime = shownTime
            batch.changes = batch.changes.map { shownTime.shown($0) }
        }
        emit(.commit(batch.changes, batch: batch.number))
    }

    /// Carries out the follow-ups of a batch, after the commit of the batch.
    func carryOutFollowUps(ofBatch batch: UInt64) {
        let confirmation = commits.confirm(batch, at: now)
        if let event = confirmation.newestEvent { watches.noteNewest(event) }
        keys.committed(batch)
        for followUps in confirmation.followUps { carryOut(followUps) }
    }

    /// Sends the messages that waited for a commit.
    private func carryOut(_ followUps: [FollowUp]) {
        var acknowledged: [SessionID: [AttemptToken]] = [:]
        for followUp in followUps {
            switch followUp {
            case .reply(let reply, let client): send(reply, to: client)
            case .acknowledge(let session, let token): acknowledged[session, default: []].append(token)
            case .waitAnswer(let wait):
                admission.beginStep(reading: wait.client.reading)
                answer(wait)
                admission.endStep()
            case .submission(let submission, let condition, let client): submit(submission, condition, for: client)
            case .releaseFiles(let session, let digests): tellReleased(digests, of: session)
            case .retainFiles(let session, let digests): retainedFiles.end(digests, of: session)
            case .copyFiles(let session, let files): tell(session, about: files) { .copyFiles($0) }
            case .milestone(let milestone): apply(.committed(milestone))
            }
        }
        for (session, tokens) in acknowledged.inOrder {
            if let peer = workers[session] { send(CoordinatorMessage.acknowledge(tokens).encoded(), to: peer) }
        }
    }

    // MARK: - Errors

    /// Stops the acceptance of changes while the record cannot be written.
    ///
    /// A request whose commit failed gets no reply until the commit succeeds. The request was performed: its job and its
    /// events have numbers, and later changes build on both. The changes are committed as soon as the disk permits, so a
    /// refusal would be false. Even after a crash, a restarted coordinator may find the changes on disk (see `Recorder`). An
    /// impatient client asks again under the same key.
    ///
    /// Clients of the web interface do not wait: see ``answerUnkept()``.
    func noteFailure(_ error: StoreError) {
        guard commits.fail(error) else { return }
        apply(.recordWritable(false))
        logger.error(
            "the record cannot be written; nothing is acknowledged until it can",
            metadata: ["error": "\(error)"]
        )
    }

    /// Answers the clients in this process whose replies would wait until the record can be written.
    ///
    /// A program that asks by HTTP has no other sign that something is wrong than the answer, and does not keep its connection for
    /// hours. The answer to a change says that the change may yet take effect.
    func answerUnkept() {
        guard let error = commits.error else { return }
        for (reply, client) in commits.takeReplies(of: { $0.peer.inProcessNumber != nil && $0.errand == nil }) {
            switch reply {
            case .document, .events, .output, .history, .result, .refused:
                send(.refused(Refusal(.storage, error.description)), to: client)
            default: send(.refused(.unkept(because: error)), to: client)
            }
        }
    }

    /// Accepts changes again.
    func noteRecovery() {
        // A leader that cannot prove its lease dispatches nothing all the same.
        apply(.recordWritable(!isSilent))
        commits.recover()
        logger.notice("the record can be written again")
    }

    /// The refusal of any change while the record cannot be written; nil while the record can be written.
    func storeRefusal() -> Refusal? {
        commits.error.map { Refusal(.storage, "Nothing was changed, because it could not be kept. \($0)") }
    }

    // MARK: - Questions

    /// Asks the record, after all changes up to now are committed, and continues with a task.
    ///
    /// - Parameters:
    ///   - pinned: jobs that must not be removed before the end of the task.
    ///   - toleratesFailure: whether the answer may leave out changes that cannot be committed at present.
    func read<Value: Sendable>(
        pinning pinned: Set<JobNumber> = [],
        toleratingFailure toleratesFailure: Bool = false,
        _ body: @escaping @Sendable (any Store) throws(StoreError) -> Value,
        then task: @escaping @Sendable (Result<Value, StoreError>) -> CoordinatorTask
    ) {
        passChanges()
        let question = RecordQuestion(
            pin: removal.pin(pinned),
            length: admission.beginQuestion(),
            toleratesFailure: toleratesFailure,
            body,
            then: task
        )
        emit(.ask(question))
    }

    /// Asks the record in the same way, beside its commits: a question that any reader can answer delays no change.
    ///
    /// - Parameters:
    ///   - pinned: jobs that must not be removed before the end of the task.
    ///   - isLong: whether the question takes as long as one about all of a job, whatever the request.
    func readBeside<Value: Sendable>(
        pinning pinned: Set<JobNumber> = [],
        isLong: Bool = false,
        _ body: @escaping @Sendable (any RecordReader) throws(StoreError) -> Value,
        then task: @escaping @Sendable (Result<Value, StoreError>) -> CoordinatorTask
    ) {
        passChanges()
        let question = RecordQuestion(
            pin: removal.pin(pinned),
            length: admission.beginQuestion(),
            isLong: isLong,
            beside: body,
            then: task
        )
        emit(.ask(question))
    }

    /// Replies from the record, after all earlier changes are committed, so that no reply describes a change before it is on
    /// disk.
    func answerFromStore(
        _ client: ReplyAddress,
        _ body: @escaping @Sendable (any Store) throws(StoreError) -> Reply
    ) {
        read(body) { Self.answer($0, to: client) }
    }

    /// Replies in the same way, beside the commits of the record: documents, however many and large, delay no change.
    ///
    /// A job may be removed before the answer.
    func answerBeside(
        _ client: ReplyAddress,
        _ body: @escaping @Sendable (any RecordReader) throws(StoreError) -> Reply
    ) {
        readBeside(body) { Self.answer($0, to: client) }
    }

    /// The task of answering a client with what the record has said.
    static func answer(_ result: Result<Reply, StoreError>, to client: ReplyAddress) -> CoordinatorTask {
        let reply: Reply
        switch result {
        case .success(let value): reply = value
        case .failure(let error): reply = .refused(Refusal(error))
        }
        return .answer(PreparedReply(reply, to: client), to: client)
    }

    /// Reads from the record and continues with a task, or refuses the request.
    func lookUp(
        for client: ReplyAddress,
        pinning pinned: Set<JobNumber> = [],
        _ body: @escaping @Sendable (any Store) throws(StoreError) -> Result<CoordinatorTask, Refusal>
    ) {
        read(pinning: pinned, body) { Self.next($0, for: client) }
    }

    /// Reads from the record beside its commits and continues with a task, or refuses the request.
    ///
    /// A job may be removed before the task.
    func lookUpBeside(
        for client: ReplyAddress,
        _ body: @escaping @Sendable (any RecordReader) throws(StoreError) -> Result<CoordinatorTask, Refusal>
    ) {
        readBeside(body) { Self.next($0, for: client) }
    }

    /// The task that a lookup has found, or the task of refusing the request.
    private static func next(
        _ result: Result<Result<CoordinatorTask, Refusal>, StoreError>,
        for client: ReplyAddress
    ) -> CoordinatorTask {
        let refusal: Refusal
        switch result {
        case .success(.success(let task)):
            return task
        case .success(.failure(let error)): refusal = error
        case .failure(let error): refusal = Refusal(error)
        }
        return .answer(PreparedReply(.refused(refusal), to: client), to: client)
    }

    // MARK: - Answers

    /// Performs the task that follows an answer.
    func proceed(with answer: RecordAnswer) {
        admission.endQuestion(answer.length)
        admission.beginStep(reading: answer.length)
        perform(answer.task)
        admission.endStep()
        if let pin = answer.pin { removal.unpin(pin) }
    }

    /// Passes on an answer from the record while the coordinator stops.
    ///
    /// No more changes can be committed, so requests with further steps stay unanswered; their clients repeat the requests
    /// when a coordinator is back.
    package func passOn(_ answer: RecordAnswer) {
        switch answer.task {
        case .answer, .sendInputs: perform(answer.task)
        default: break
        }
    }

    /// Performs the task that follows a lookup.
    func perform(_ task: CoordinatorTask) {
        switch task {
        case .answer(let reply, let client): send(reply, to: client)
        case .sendInputs(let message, let inputs, let hasMore): send(message, of: inputs, hasMore: hasMore)
        case .inputsUnread(let inputs): noteUnread(inputs)
        case .submission(.success(let submission), _, let client): submit(submission, for: client)
        case .partStored(let result, let submission, let job, let client):
            proceed(with: submission, job, result, for: client)
        case .addition(let addition, let job, let client): add(addition, to: job, for: client)
        case .submission(.failure(let answer), let key, let client):
            send(answer.reply, to: client)
            resumeSubmissions(withKey: key)
        case .submissionUnread(let submission, let error, let client):
            refuse(submission.submission, isKeyNew: submission.isKeyNew, with: Refusal(error), for: client)
        case .change(let change, let targets, let client): apply(change, to: targets, for: client)
        case .dependencies(let request, let client): resume(request, for: client)
        case .wait(let targets, let limit, let waiter, let began, let partial, let outputs, let client):
            wait(
                for: targets,
                atMost: limit,
                by: waiter,
                since: began,
                partial: partial,
                outputs: outputs,
                client
            )
        case .retry(let submission, let condition, let parts, let client):
            submit(submission, condition, in: parts ?? smallParts(of: submission), for: client)
        case .retried(let job, let last, let counts, let client):
            refuseRetry(of: job, retriedAs: last, counts, for: client)
        case .events(let result, let watch): answer(watch, with: result)
        case .log(let request, let client): answer(request, client)
        case .filePiece(let wanted, let offset, let limit, let client):
            readPiece(of: wanted, offset: offset, limit: limit, for: client)
        case .removed(let result): noteRemoval(result)
        case .deleted(let result, let jobs, let client): noteDeletion(result, jobs, for: client)
        case .files(let page, let client): answer(page, for: client)
        case .makeRoom(let bytes, let refusal, let client): makeRoom(for: bytes, otherwise: refusal, client)
        }
    }
}
