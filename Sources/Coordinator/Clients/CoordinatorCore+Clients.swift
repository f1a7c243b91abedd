@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonScheduler
@_spi(Baton) import BatonWire
@_spi(Baton) import BatonZeroMQ

/// Handles the requests of clients.
extension CoordinatorCore {
    /// Answers a client's hello that the requester may send.
    func welcome(_ peer: RoutingID, speaking protocols: ProtocolRange) {
        let welcome = ClientReply.welcome(
            protocolVersion: ProtocolRange.own.agreed(with: protocols),
            version: options.version,
            epoch: scheduler.epoch,
            rank: rank
        )
        send(welcome.encoded(), to: peer)
    }

    /// Tells a client whose probe was answered how much of its large request is read (D14).
    func tellReading(_ percent: UInt8, to peer: RoutingID, speaking protocols: ProtocolRange) {
        guard ProtocolRange.own.agreed(with: protocols) >= 2 else { return }
        send(ClientReply.reading(percent: percent).encoded(), to: peer)
    }

    /// Performs a request.
    func perform(_ received: ReceivedRequest, for client: ReplyAddress) {
        switch received {
        case .submit(let submission, let checked, let parts): submit(submission, checked, in: parts, for: client)
        case .add(_, let checked, let job): add(checked, to: job, for: client)
        case .other(let request): perform(request, for: client)
        }
    }

    private func perform(_ request: Request, for client: ReplyAddress) {
        switch request {
        case .submit, .add: perform(ReceivedRequest(request), for: client)
        case .close(let jobs): change(jobs.map { .job($0) }, .close, for: client)
        case .wait(let addresses, let queue, let limit, let waiter, let since, let partial, let outputs):
            wait(
                for: addresses,
                queue: queue,
                atMost: limit,
                by: waiter,
                since: since,
                partial: partial,
                outputs: outputs,
                client
            )
        case .cancel(let addresses, let queue): change(addresses, queue: queue, .cancel, for: client)
        case .hold(let addresses): change(addresses, .hold, for: client)
        case .release(let addresses): change(addresses, .release, for: client)
        case .pause(let addresses): change(addresses, .pause, for: client)
        case .resume(let addresses): change(addresses, .resume, for: client)
        case .signal(let addresses, let signal): change(addresses, .signal(signal), for: client)
        case .setPriority(let addresses, let priority): change(addresses, .priority(priority), for: client)
        case .depend(let address, let dependencies): depend(address, dependencies, for: client)
        case .undepend(let address, let targets): undepend(address, targets, for: client)
        case .addCommand(let address, let command): add(command, to: address, for: client)
        case .retry(
            let job,
            let operations,
            let groups,
            let cancelled,
            let dependents,
            let again,
            let rejects,
            let key,
            let changes
        ):
            let selection = RetrySelection(includesCancelled: cancelled, includesDependents: dependents)
            let request = RetryRequest(
                job: job,
                operations: operations,
                groups: groups,
                selection: selection,
                isAllowedAgain: again,
                rejectsUnplaceable: rejects,
                key: key,
                changes: changes
            )
            retry(request, for: client)
        case .reportProgress(let operation, let attempt, let progress):
            apply(.reportProgress(operation, attempt: attempt, progress, request: answers.expect(for: client)))
        case .setQueue(let change): setQueue(change, for: client)
        case .deleteQueue(let name): deleteQueue(name, for: client)
        case .setLimit(let change): setLimit(change, for: client)
        case .drain(let names): changeWorkers(names, for: client) { .drain($0, request: $1) }
        case .undrain(let names): changeWorkers(names, for: client) { .undrain($0, request: $1) }
        case .stop(let names, let isImmediate):
            changeWorkers(names, for: client) { .stop($0, isImmediate: isImmediate, request: $1) }
        case .forget(let names): changeWorkers(names, for: client) { .forget($0, request: $1) }
        case .delete(let jobs): delete(jobs, for: client)
        case .waitForWorkers(let names, let limit): waitForWorkers(names, atMost: limit, client)
        case .addSchedule(let settings, let submission): addSchedule(settings, submission, for: client)
        case .changeSchedule(let name, let change): changeSchedule(name, change, for: client)
        case .startSchedule(let name, let key): startSchedule(name, key: key, for: client)
        case .watch(let since, let limit, let time, let selection):
            watch(since: since, limit: limit, atMost: time, of: selection, for: client)
        case .document(let request): answer(request, for: client)
        case .log(let address, let attempt, let stream, let offset, let limit):
            readLog(of: address, attempt: attempt, stream, offset: offset, limit: limit, for: client)
        case .outputs(let selection): readOutputs(selection, for: client)
        case .history(let selection): answerHistory(selection, for: client)
        case .result(let address): readResult(of: address, for: client)
        case .filePiece(let address, let path, let offset, let limit):
            readFilePiece(of: address, path: path, offset: offset, limit: limit, for: client)
        case .missingFiles(let digests, let bytes): tellMissing(digests, of: bytes, for: client)
        case .sentPiece(let piece): keep(piece, for: client)
        }
    }

    private func deleteQueue(_ name: String, for client: ReplyAddress) {
        if let refusal = storeRefusal() { return send(.refused(refusal), to: client) }
        apply(.deleteQueue(name, request: answers.expect(for: client)))
    }

    private func setLimit(_ change: LimitChange, for client: ReplyAddress) {
        if let refusal = storeRefusal() { return send(.refused(refusal), to: client) }
        apply(.setLimit(change, request: answers.expect(for: client)))
    }

    private func setQueue(_ change: QueueChange, for client: ReplyAddress) {
        if let refusal = storeRefusal() { return send(.refused(refusal), to: client) }
        // An unknown queue was never used and cannot be suspended, so the client has mistyped the name.
        if change == QueueChange(name: change.name, isSuspended: false), scheduler.queue(change.name) == nil {
            return send(.refused(.noSuchQueue(change.name)), to: client)
        }
        apply(.setQueue(change, request: answers.expect(for: client)))
    }
}
