@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonScheduler
@_spi(Baton) import BatonStore
@_spi(Baton) import BatonWire
@_spi(Baton) import BatonZeroMQ

/// Serves the output and the results of operations.
extension CoordinatorCore {
    func readLog(
        of address: Address,
        attempt: UInt32?,
        _ stream: OutputStream,
        offset: UInt64,
        limit: UInt32,
        for client: ReplyAddress
    ) {
        // Between two attempts, the record has the output.
        if let id = liveOnly(address), let record = scheduler.record(of: id),
            record.attempt == 0 || record.state == .executing, attempt ?? record.attempt == record.attempt
        {
            readLive(record, stream, offset: offset, limit: limit, for: client)
            return
        }
        lookUpBeside(for: client) { store throws(StoreError) in
            let record: OperationRecord
            switch try Self.storedSingle(address, store) {
            case .success(let operation): record = operation.record
            case .failure(let refusal): return .failure(refusal)
            }
            let number = attempt ?? record.attempt
            guard number <= record.attempt else {
                let made = record.attempt == 1 ? "1 attempt" : "\(record.attempt) attempts"
                return .failure(
                    Refusal(.notFound, "\(address.asShown) had \(made) so far; there is no number \(number).")
                )
            }
            let isOver = record.isAfter(attempt: number) && number > 0
            let endedBefore = isOver && record.token == nil || number < record.attempt
            let earlier = endedBefore ? try store.attempts(of: record.id).last { $0.attempt == number } : nil
            let output = try store.output(of: record.id, attempt: number)
            let request = LogRequest(
                operation: record.id,
                isOver: isOver || record.state == .finished,
                token: endedBefore ? earlier?.token : record.token,
                worker: endedBefore ? earlier?.worker : record.worker,
                tail: stream == .standardOutput ? output?.standardOutput : output?.standardError,
                stream: stream,
                offset: offset,
                limit: limit
            )
            return .success(.log(request, from: client))
        }
    }

    /// Reads the output of the present attempt of an unfinished operation.
    private func readLive(
        _ record: OperationRecord,
        _ stream: OutputStream,
        offset: UInt64,
        limit: UInt32,
        for client: ReplyAddress
    ) {
        guard record.state == .executing, let (session, token) = scheduler.execution(of: record.id) else {
            send(.output(OutputChunk(offset: offset, bytes: [], totalLength: offset, isComplete: false)), to: client)
            return
        }
        ask(session, token, record.id, stream, offset: offset, limit: limit, for: client, fallback: nil)
    }

    /// Replies with the output in the record, or asks the worker for older output.
    func answer(_ request: LogRequest, _ client: ReplyAddress) {
        let tail = request.tail ?? OutputTail()
        let start = tail.totalLength - UInt64(min(UInt64(tail.bytes.count), tail.totalLength))
        if request.offset < start, let token = request.token, let worker = request.worker,
            let session = scheduler.session(ofWorker: worker)
        {
            ask(
                session,
                scheduler.whole(token),
                request.operation,
                request.stream,
                offset: request.offset,
                limit: request.limit,
                for: client,
                fallback: request
            )
        } else {
            answerFromTail(request, client)
        }
    }

    private func answerFromTail(_ request: LogRequest, _ client: ReplyAddress) {
        let tail = request.tail ?? OutputTail()
        let start = tail.totalLength - UInt64(min(UInt64(tail.bytes.count), tail.totalLength))
        let offset = min(max(request.offset, start), tail.totalLength)
        let bytes = tail.bytes.dropFirst(Int(offset - start)).prefix(Int(request.limit))
        let chunk = OutputChunk(
            offset: offset,
            bytes: Array(bytes),
            totalLength: tail.totalLength,
            isComplete: request.isOver
        )
        send(.output(chunk), to: client)
    }

    private func ask(
        _ session: SessionID,
        _ token: AttemptToken,
        _ operation: OperationID,
        _ stream: OutputStream,
        offset: UInt64,
        limit: UInt32,
        for client: ReplyAddress,
        fallback: LogRequest?
    ) {
        guard let peer = workers[session], workers.isReachable(session) else {
            answerOutput(nil, fallback, client)
            return
        }
        let limit = min(limit, UInt32(OutputChunk.maximumLength))
        let number = outputs.add(
            OutputRequests.Pending(
                session: session,
                client: client,
                offset: offset,
                limit: limit,
                fallback: fallback,
                deadline: now + .seconds(10)
            )
        )
        let message = CoordinatorMessage.readOutput(
            request: number,
            token,
            operation,
            stream,
            offset: offset,
            limit: limit
        )
        send(message.encoded(), to: peer)
    }

    /// Passes a worker's output on to the client, and ignores output from any other peer; other bytes than those asked for are none.
    ///
    /// The message also counts as a sign of life.
    func receiveOutput(_ number: UInt64, _ chunk: OutputChunk?, from peer: RoutingID) {
        guard let session = outputs.session(of: number), workers[session] == peer,
            let pending = outputs.take(number)
        else { return }
        apply(.workerHeard(session))
        answerOutput(chunk.flatMap { pending.isAnswered(by: $0) ? $0 : nil }, pending.fallback, pending.client)
    }

    private func answerOutput(_ chunk: OutputChunk?, _ fallback: LogRequest?, _ client: ReplyAddress) {
        if var chunk {
            // A file that has lost its end, as by a crash of its host, ends before the output did.
            if let tail = fallback?.tail, chunk.totalLength < tail.totalLength {
                guard !chunk.bytes.isEmpty else { return answerOutput(nil, fallback, client) }
                chunk.totalLength = tail.totalLength
            }
            send(.output(chunk), to: client)
        } else if let fallback {
            answerFromTail(fallback, client)
        } else {
            let sentence = "The worker that has the output does not answer. Try again."
            send(.refused(Refusal(.unavailable, sentence)), to: client)
        }
    }

    /// Answers the requests to a worker whose connection has ended: nobody waits for a worker that is known to be gone.
    func answerOutputRequests(to peer: RoutingID) {
        for lost in outputs.take(where: { workers[$0] == peer }) { answerOutput(nil, lost.fallback, lost.client) }
    }

    /// Answers the requests whose workers have not answered in time.
    func answerLateOutputRequests() {
        for late in outputs.takeLate(at: now) { answerOutput(nil, late.fallback, late.client) }
    }

    func readResult(of address: Address, for client: ReplyAddress) {
        if let id = liveOnly(address), let record = scheduler.record(of: id) {
            let sentence = "\(address.asShown) is not finished, but \(record.state)."
            send(.refused(Refusal(.unavailable, sentence)), to: client)
            return
        }
        answerBeside(client) { store throws(StoreError) in
            switch try Self.storedSingle(address, store) {
            case .success(let operation): return .result(try store.result(of: operation.record.id))
            case .failure(let refusal): return .refused(refusal)
            }
        }
    }
}
