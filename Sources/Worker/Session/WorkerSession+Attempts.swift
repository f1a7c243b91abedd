import Operations
import Wire

/// What becomes of attempts.
extension WorkerSession {
    /// An attempt from its dispatch until its end is acknowledged.
    struct Attempt: Sendable {
        enum Phase: Sendable {
            /// It is started once the last input is here (DE20); so no slot waits for the network.
            case awaitingInputs(DispatchBatch.Item, Work, queue: String)
            /// It is in the local queue.
            case running
            /// It lies in the outbox.
            case finished(AttemptResult)
        }

        let operation: OperationID
        let number: UInt32
        var phase: Phase
        /// Nobody wants its result any more.
        var isDiscarded = false
        /// Its end was asked for.
        var isEnding = false

        var isFinished: Bool {
            if case .finished = phase { true } else { false }
        }
    }

    mutating func start(_ batch: DispatchBatch) {
        for item in batch.items {
            guard attempts[item.token] == nil, !settled.contains(item.token),
                batch.works.indices.contains(Int(item.work)), batch.queues.indices.contains(Int(item.queue))
            else { continue }
            start(item, batch.works[Int(item.work)], queue: batch.queues[Int(item.queue)])
        }
    }

    private mutating func start(_ item: DispatchBatch.Item, _ work: Work, queue: String) {
        runningCount += 1
        attempts[item.token] = Attempt(operation: item.operation, number: item.attempt, phase: .running)
        if leaving != .no {
            finish(item.token, with: AttemptResult(end: .interrupted))
        } else if item.hasInputs {
            attempts[item.token]?.phase = .awaitingInputs(item, work, queue: queue)
            effects.append(.send(.fetchInputs(session, item.token, item.operation)))
        } else {
            effects.append(.startAttempt(item, work, queue: queue))
        }
    }

    mutating func takeInputs(_ token: AttemptToken, _ inputs: [Input], isLast: Bool) {
        guard case .awaitingInputs(let item, let work, let queue) = attempts[token]?.phase else { return }
        if !inputs.isEmpty { effects.append(.storeInputs(token, inputs)) }
        guard isLast else { return }
        attempts[token]?.phase = .running
        effects.append(.startAttempt(item, work, queue: queue))
    }

    /// Ends an attempt; one that is over, or not known, is left as it is.
    mutating func end(_ token: AttemptToken, cause: EndCause) {
        guard let attempt = attempts[token], !attempt.isEnding else { return }
        switch attempt.phase {
        case .finished:
            return
        case .awaitingInputs:
            effects.append(.discardInputs(token))
            let end: AttemptEnd = cause == .leaving ? .interrupted : .signalled(Self.terminationSignal)
            finish(token, with: AttemptResult(end: end))
        case .running:
            attempts[token]?.isEnding = true
            effects.append(.endAttempt(token, cause))
        }
    }

    /// SIGTERM: what an attempt that was cancelled before its start is reported to have ended by.
    static let terminationSignal: Int32 = 15

    /// Puts the result of an attempt into the outbox.
    mutating func finish(_ token: AttemptToken, with result: AttemptResult) {
        guard let attempt = attempts[token], !attempt.isFinished else { return }
        runningCount -= 1
        if attempt.isDiscarded {
            attempts[token] = nil
            settled.insert(token)
        } else {
            attempts[token]?.phase = .finished(result)
            if isWelcomed { unsent.append(token) }
        }
    }

    /// Forgets an attempt whose end is on the coordinator's disk.
    mutating func settle(_ token: AttemptToken) {
        guard let attempt = attempts[token], attempt.isFinished else { return }
        attempts[token] = nil
        settled.insert(token)
    }

    /// Drops the result of an attempt that is no longer valid, and ends it if it is not over.
    mutating func discard(_ token: AttemptToken) {
        guard let attempt = attempts[token] else { return }
        guard !attempt.isFinished else { return settle(token) }
        attempts[token]?.isDiscarded = true
        end(token, cause: .cancelled)
    }

    /// Sends what has come into the outbox, in messages of bounded length.
    mutating func sendCompletions() {
        guard !unsent.isEmpty else { return }
        var completions: [Completion] = []
        var length = 0
        for token in unsent {
            // It may have been acknowledged meanwhile, by an answer to the same completion in an earlier session.
            guard let attempt = attempts[token], case .finished(let result) = attempt.phase else { continue }
            if length + result.approximateLength > Self.maximumBatchLength, !completions.isEmpty {
                effects.append(.send(.completions(session, completions)))
                completions.removeAll()
                length = 0
            }
            completions.append(Completion(token: token, operation: attempt.operation, result: result))
            length += result.approximateLength
        }
        unsent.removeAll(keepingCapacity: true)
        if !completions.isEmpty { effects.append(.send(.completions(session, completions))) }
    }

    /// The most bytes of completions in one message.
    static let maximumBatchLength = 4 << 20
}

extension AttemptResult {
    /// About how many bytes it takes in a message, its token and operation included.
    fileprivate var approximateLength: Int {
        64 + standardOutput.bytes.count + standardError.bytes.count + (result?.count ?? 0)
    }
}
