@_spi(Baton) import BatonInvariants
@_spi(Baton) import BatonOperations

/// The recalls of attempts, and the client requests that wait for the workers' answers (SU8, CA15, D5).
struct DeferredRequests: Sendable {
    /// The attempts that the current request waits for, with the names of their workers.
    private var recalls: [AttemptToken: String] = [:]
    /// The attempts to recall, by worker; sent at the end of the event.
    private var recallMessages: [WorkerIndex: [AttemptToken]] = [:]
    /// The requests that wait for workers, by number.
    private var requests: [UInt64: DeferredRequest] = [:]
    /// The numbers of the requests that wait for each attempt.
    private var awaiting: [AttemptToken: [UInt64]] = [:]
    /// The requests whose last recall was answered by the current event, in order.
    private var due: [UInt64] = []
    private var nextNumber: UInt64 = 1

    /// Whether no request waits for a worker.
    @inline(__always) var isEmpty: Bool { requests.isEmpty }

    // MARK: - Recalls

    /// Empties the list of recalls that the current request waits for.
    mutating func forgetRecalls() {
        if !recalls.isEmpty { recalls = [:] }
    }

    /// Whether the current request waits for any recall.
    var awaitsRecalls: Bool { !recalls.isEmpty }

    /// Notes that the current request waits for a recalled attempt.
    mutating func noteRecall(of token: AttemptToken, at worker: String) {
        recalls[token] = worker
    }

    /// Takes the list of recalls that the current request waits for; the request continues with an empty list.
    mutating func takeRecalls() -> [AttemptToken: String] {
        defer { recalls = [:] }
        return recalls
    }

    /// Puts back the list of recalls that the current request waits for, and drops the recalls since.
    mutating func putBackRecalls(_ earlier: [AttemptToken: String]) {
        recalls = earlier
    }

    /// Adds an attempt to the recalls that a worker is sent at the end of the event.
    mutating func addMessage(to worker: WorkerIndex, recalling token: AttemptToken) {
        recallMessages[worker, default: []].append(token)
    }

    /// Takes the recalls that a worker was about to be sent.
    mutating func takeMessage(to worker: WorkerIndex) -> [AttemptToken] {
        recallMessages.removeValue(forKey: worker) ?? []
    }

    /// Takes the recalls of all workers, in the order of the workers.
    mutating func takeMessages() -> [(worker: WorkerIndex, tokens: [AttemptToken])] {
        guard !recallMessages.isEmpty else { return [] }
        defer { recallMessages = [:] }
        return recallMessages.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }

    // MARK: - Requests

    /// Lets a request wait for the recalls of the current request.
    ///
    /// - Returns: the number of the deferred request, for its timer.
    mutating func put(
        _ request: RequestID,
        until continuation: DeferredRequest.Continuation,
        reserving reserved: [SlabReference<OperationNode>],
        deadline: Timestamp
    ) -> UInt64 {
        let number = nextNumber
        nextNumber += 1
        let recalls = takeRecalls()
        invariant(!recalls.isEmpty, "A request waits for no attempt.")
        for token in recalls.keys { awaiting[token, default: []].append(number) }
        requests[number] = DeferredRequest(
            request: request,
            continuation: continuation,
            awaited: recalls,
            reserved: reserved,
            deadline: deadline
        )
        return number
    }

    /// Notes that an attempt is known to have started, or that no worker holds the attempt any more.
    ///
    /// - Returns: the number of requests whose wait is over, and whose timers are stale.
    mutating func resolve(_ token: AttemptToken) -> Int {
        // The function is called for every attempt, and usually no request waits.
        guard !awaiting.isEmpty, let numbers = awaiting.removeValue(forKey: token) else { return 0 }
        var over = 0
        for number in numbers {
            let awaited = requests[number]?.awaited.removeValue(forKey: token)
            invariant(awaited != nil, "An attempt is awaited by a request that does not wait for it.")
            guard requests[number]?.awaited.isEmpty == true else { continue }
            due.append(number)
            over += 1
        }
        return over
    }

    /// Notes the worker of an attempt that requests wait for: the worker may have returned under a name since the recalls.
    mutating func reassign(_ token: AttemptToken, to worker: String) {
        for number in awaiting[token] ?? [] { requests[number]?.awaited[token] = worker }
    }

    /// Whether the current event has answered the last recall of any request.
    @inline(__always) var isAnyDue: Bool { !due.isEmpty }

    /// Takes the first request whose recalls are all answered.
    mutating func takeDue() -> DeferredRequest? {
        while !due.isEmpty {
            if let request = requests.removeValue(forKey: due.removeFirst()) { return request }
        }
        return nil
    }

    /// Takes a request whose deadline has come, although workers have not answered.
    mutating func take(_ number: UInt64) -> DeferredRequest? {
        guard let request = requests.removeValue(forKey: number) else { return nil }
        for token in request.awaited.keys {
            awaiting[token]?.removeAll { $0 == number }
            if awaiting[token]?.isEmpty == true { awaiting[token] = nil }
        }
        return request
    }

    /// Whether a request still waits for workers.
    func isWaiting(_ number: UInt64) -> Bool { requests[number].map { !$0.awaited.isEmpty } ?? false }

    /// Passes the ends of finished targets, nil for all others, to the requests that may name them (DE6).
    mutating func learn(_ end: (Address) -> DependencyEnd?) {
        for (number, deferred) in requests {
            guard case .event(var event) = deferred.continuation, event.learn(end) else { continue }
            requests[number]?.continuation = .event(event)
        }
    }

    /// Sets the step to take after the wait of a request.
    mutating func continueWait(_ number: UInt64, until continuation: DeferredRequest.Continuation) {
        invariant(requests[number] != nil, "A request goes on with a wait that is over.")
        requests[number]?.continuation = continuation
    }

    /// Reserves the rest of a split block for the requests that have reserved the block.
    mutating func shareReservations(
        of block: SlabReference<OperationNode>,
        with rest: SlabReference<OperationNode>
    ) {
        for number in requests.keys where requests[number]?.reserved.contains(block) == true {
            requests[number]?.reserved.append(rest)
        }
    }

    // MARK: - Checks

    /// The number of waiting requests.
    var count: Int { requests.count }

    /// The attempts that requests wait for.
    var awaited: Set<AttemptToken> { Set(awaiting.keys) }

    /// The nodes that are reserved, once for each request.
    var reserved: [SlabReference<OperationNode>] { requests.values.flatMap(\.reserved) }

    /// The violated invariants after an event; empty unless the scheduler has a bug.
    func violations() -> [String] {
        var found: [String] = []
        if !recalls.isEmpty || !recallMessages.isEmpty || !due.isEmpty { found.append("an event left recalls behind") }
        let awaited = Set(requests.values.flatMap(\.awaited.keys))
        if awaited != Set(awaiting.keys) { found.append("requests wait for \(awaited), told by \(awaiting.keys)") }
        return found
    }
}
