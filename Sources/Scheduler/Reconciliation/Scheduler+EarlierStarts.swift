@_spi(Baton) import BatonOperations

/// What the earlier processes of a worker's directory have started (D3).
///
/// A worker that is started again in its directory names the attempts that the processes before it had started and no coordinator has
/// acknowledged. The report of the new process thus equals that of the earlier process, had the earlier process come back: an attempt
/// outside of the report never started, and its number is given again; an attempt in the report may have run, and its number is used up.
///
/// Workers are not trusted. A false report can only do what a false claim can (``adopt(_:of:)``): take the number 1 from an operation
/// without an attempt in the record. A concealed start repeats a number of what this worker was sent, and of nothing else.
extension Scheduler {
    /// Takes in the attempts that earlier processes of a worker's directory have started, and acknowledges them.
    ///
    /// The changes are recorded with the worker's new life or before it: the next coordinator knows this life, and need not be told
    /// again. A worker forgets an attempt only after the acknowledgement, which waits for that commit.
    ///
    /// - Parameters:
    ///   - unclaimed: the attempts of the worker's earlier session that the worker has not named as its own.
    ///   - foreign: receives the attempts of a coordinator that is not in the record.
    /// - Returns: the attempts that were started; nil if the worker does not tell them, or if the record knows of a start that it does
    ///   not tell. The latter happens after an older state of its directory was put back.
    mutating func noteEarlierStarts(
        of introduction: WorkerIntroduction,
        missing unclaimed: [AttemptToken: NodeIndex],
        _ foreign: inout [AttemptToken]
    ) -> Set<AttemptToken>? {
        guard let starts = introduction.earlierStarts else { return nil }
        let started = Set(starts.attempts.map(\.token))
        for (token, node) in unclaimed where graph[node].stage == .executing && !started.contains(token) { return nil }
        guard !reconciliation.isOpen || reconciliation.mayHold(withKey: introduction.keyNumber) else { return nil }
        for start in starts.attempts {
            guard !tokens.isForeign(start.token) else {
                foreign.append(start.token)
                continue
            }
            if unclaimed[start.token] == nil {
                passOverNumber(of: start, startedWithKey: introduction.keyNumber, missing: unclaimed)
            }
            emit(.acknowledge(introduction.session, start.token, isStale: false))
        }
        return started
    }

    /// Passes over the number of a first attempt that the record lacks, and that has started.
    ///
    /// Other attempts were on disk before they were sent.
    private mutating func passOverNumber(
        of start: StartedAttempt,
        startedWithKey key: UInt32?,
        missing unclaimed: [AttemptToken: NodeIndex]
    ) {
        guard reconciliation.isOpen, start.attempt == 1, isOfKnownStart(start.token, start.operation),
            let whole = graph.node(for: start.operation), graph[whole].attempt == 0
        else { return }
        if let recorded = token(of: graph[whole]) {
            // As in ``adopt(_:of:)``: the recorded attempt was returned and the newer one sent, before the crash. A newer
            // recorded attempt shows that the earlier one could not be started.
            guard recorded < start.token, graph[whole].stage == .sent else { return }
            // What the joining worker itself was sent earlier is returned together with its other unclaimed attempts.
            if unclaimed[recorded] == nil {
                guard let holder = graph[whole].worker, workers[holder].isAbsent,
                    !Self.areDifferent(workers[holder].introduction.keyNumber, key)
                else { return }
                advance(whole, on: .returned)
            }
        }
        if let claim = reconciliation.earlyClaims[start.operation] {
            // The earlier process may have claimed the attempt itself, and the claim waits for the end of another operation. It can
            // no longer come to hold. Everybody else's claim does not concern this start.
            guard claim.token == start.token, workers.index(ofSession: claim.session) == nil else { return }
            dismissClaim(on: start.operation)
        }
        let node = isolate(start.operation, in: whole)
        graph[node].attempt = 1
        commitPresentRecord(of: node)
    }
}

extension WorkerIntroduction {
    /// Whether the worker tells what an earlier process in its directory has started.
    func tellsStarts(of earlier: WorkerRecord) -> Bool {
        guard id != .unknown, id == earlier.id, !Scheduler.areDifferent(keyNumber, earlier.keyNumber) else {
            return false
        }
        return earlierStarts?.lives.contains(earlier.life) ?? false
    }
}

extension WorkerRecord {
    /// What the record keeps of a worker.
    init(_ introduction: WorkerIntroduction) {
        self.init(id: introduction.id, life: introduction.life, keyNumber: introduction.keyNumber)
    }
}
