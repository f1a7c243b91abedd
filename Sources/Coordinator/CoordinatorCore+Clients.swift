import BatonOperations
import BatonScheduler
import BatonStore
import BatonWire
import BatonZeroMQ

/// What clients ask.
extension CoordinatorCore {
    /// Takes a client's message.
    func receive(_ content: ClientMessage, _ message: ReceivedMessage, from peer: RoutingID) {
        switch content {
        case .hello:
            let welcome = ClientReply.welcome(
                protocolVersion: ProtocolVersion.newest,
                version: options.version,
                epoch: scheduler.epoch
            )
            send(welcome.encoded(), to: peer)
        case .request(let number, let request): admit(request, message, number: number, from: peer)
        }
    }

    /// Does what is asked.
    ///
    /// - Parameter checked: the submission that the request is, checked; nil where it is none.
    func perform(_ request: Request, _ checked: Result<ValidatedSubmission, Refusal>?, for client: ReplyAddress) {
        switch request {
        case .submit(let submission):
            if let checked { submit(submission, checked, for: client) }
        case .wait(let addresses, let queue, let limit, let waiter, let since):
            wait(for: addresses, queue: queue, atMost: limit, by: waiter, since: since, client)
        case .cancel(let addresses, let queue): change(addresses, queue: queue, .cancel, for: client)
        case .hold(let addresses): change(addresses, .hold, for: client)
        case .release(let addresses): change(addresses, .release, for: client)
        case .setPriority(let addresses, let priority): change(addresses, .priority(priority), for: client)
        case .depend(let address, let dependencies): depend(address, dependencies, for: client)
        case .undepend(let address, let targets): undepend(address, targets, for: client)
        case .addCommand(let address, let command): add(command, to: address, for: client)
        case .retry(let job, let operations, let cancelled, let dependents, let key):
            let selection = RetrySelection(includesCancelled: cancelled, includesDependents: dependents)
            retry(job, operations, selection, key: key, for: client)
        case .reportProgress(let operation, let attempt, let progress):
            apply(.reportProgress(operation, attempt: attempt, progress, request: expectAnswer(for: client)))
        case .setQueue(let change): setQueue(change, for: client)
        case .watch(let since, let limit, let time): watch(since: since, limit: limit, atMost: time, for: client)
        case .document(let request): answer(request, for: client)
        case .log(let address, let attempt, let stream, let offset, let limit):
            readLog(of: address, attempt: attempt, stream, offset: offset, limit: limit, for: client)
        case .result(let address): readResult(of: address, for: client)
        }
    }

    private func setQueue(_ change: QueueChange, for client: ReplyAddress) {
        if let refusal = storeRefusal() { return send(.refused(refusal), to: client) }
        // Whoever resumes a queue that was never used has mistyped its name.
        if change == QueueChange(name: change.name, isSuspended: false), scheduler.queue(change.name) == nil {
            return send(.refused(.noSuchQueue(change.name)), to: client)
        }
        apply(.setQueue(change, request: expectAnswer(for: client)))
    }

    /// The refusal of anything that would have to be kept while nothing can be kept; nil where all is well.
    func storeRefusal() -> Refusal? {
        storeTrouble.map { Refusal(.storage, "Nothing was changed, because it could not be kept. \($0)") }
    }

    /// Answers out of the record, behind everything that was to be kept before, so that no answer tells of what is not on
    /// disk.
    func answerFromStore(
        _ client: ReplyAddress,
        _ body: @escaping @Sendable (any Store) throws(StoreError) -> Reply
    ) {
        read(body) { result in
            let reply: Reply
            switch result {
            case .success(let value): reply = value
            case .failure(let error): reply = .refused(Refusal(error))
            }
            return .answer(ClientReply.reply(client.number, reply).encoded(), to: client)
        }
    }

    /// Looks something up in the record and goes on with a task; or refuses.
    func lookUp(
        for client: ReplyAddress,
        pinning pinned: Set<JobNumber> = [],
        _ body: @escaping @Sendable (any Store) throws(StoreError) -> Result<CoordinatorTask, Refusal>
    ) {
        read(pinning: pinned, body) { result in
            let refusal: Refusal
            switch result {
            case .success(.success(let task)):
                return task
            case .success(.failure(let error)): refusal = error
            case .failure(let error): refusal = Refusal(error)
            }
            return .answer(ClientReply.reply(client.number, .refused(refusal)).encoded(), to: client)
        }
    }
}
