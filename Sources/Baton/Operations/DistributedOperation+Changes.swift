import Synchronization
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWire

extension DistributedOperation {
    /// The priority of the operation in its queue; `normal` by default.
    ///
    /// A waiting operation goes to the tail of its new priority. A change of an executing or finished operation has no
    /// effect in the cluster; ``set(queuePriority:)`` tells.
    public final var queuePriority: QueuePriority {
        get { status.withLock(\.priority) }
        set {
            let place = status.withLock { status in
                status.priority = newValue
                return status.place
            }
            guard place.isSentOrAdded else { return }
            change { .setPriority([$0], newValue.stored) }
        }
    }

    /// Changes the priority, and returns when the change is in force.
    ///
    /// - Returns: false if the operation had started, so that the change has no effect.
    /// - Throws: ``ClusterError``, and `CancellationError` if the task is cancelled.
    @discardableResult
    public final func set(queuePriority: QueuePriority) async throws -> Bool {
        let place = status.withLock { status in
            status.priority = queuePriority
            return status.place
        }
        switch place {
        case .free, .unanswered: return true
        case .refused: return false
        case .waiting(let queue):
            try await queue.cluster.line.passed()
            return true
        case .sent, .added: return try await changed { .setPriority([$0], queuePriority.stored) }.changed > 0
        }
    }

    /// Asks for the end of the operation; a second call and a call for a finished operation have no effect.
    ///
    /// A waiting operation never runs; the code of an executing one decides how to end. An operation that is in no
    /// queue is cancelled, and finishes without running once it is added. Dependents are not cancelled.
    public final func cancel() {
        guard noteCancellation().isSentOrAdded else { return }
        change { .cancel([$0], queue: nil) }
    }

    /// Asks for the end of the operation, and returns when the cancellation is in force: from then on, an operation that was not
    /// executing does not start.
    ///
    /// - Throws: ``ClusterError``, and `CancellationError` if the task is cancelled.
    public final func cancel() async throws {
        let place = noteCancellation()
        guard place.isSentOrAdded else {
            if case .waiting(let queue) = place { try await queue.cluster.line.passed() }
            return
        }
        try await changed { .cancel([$0], queue: nil) }.throwIfUnanswered()
    }

    private func noteCancellation() -> OperationPlace {
        status.withLock { status in
            // A finished operation keeps its flag as it is.
            guard !status.isFinished else { return .free }
            status.isCancelled = true
            return status.place
        }
    }

    /// Keeps the operation from starting until ``release()-65g4h``; without effect on an executing or finished one.
    public final func hold() {
        guard note(isHeld: true).isSentOrAdded else { return }
        change { .hold([$0]) }
    }

    /// Keeps the operation from starting, and returns when the hold is in force.
    ///
    /// - Throws: ``ClusterError``, and `CancellationError` if the task is cancelled.
    public final func hold() async throws {
        let place = note(isHeld: true)
        guard place.isSentOrAdded else {
            if case .waiting(let queue) = place { try await queue.cluster.line.passed() }
            return
        }
        try await changed { .hold([$0]) }.throwIfUnanswered()
    }

    /// Lets a held operation start.
    public final func release() {
        guard note(isHeld: false).isSentOrAdded, let queue else { return }
        queue.cluster.line.append(.change(releaseChange(completion: nil)))
    }

    /// Lets a held operation start, and returns when the release is in force.
    ///
    /// - Throws: ``ClusterError``, and `CancellationError` if the task is cancelled.
    public final func release() async throws {
        let place = note(isHeld: false)
        guard let line = place.queue?.cluster.line else { return }
        guard place.isSentOrAdded else { return try await line.passed() }
        _ = try await line.changed { releaseChange(completion: $0) }
    }

    /// Lets the processes of the executing operation, and its timeout, stand still until ``resume()``.
    ///
    /// - Returns: whether the operation was executing and is paused from now on. A Swift operation cannot be paused.
    /// - Throws: ``ClusterError``, and `CancellationError` if the task is cancelled.
    @discardableResult
    public final func pause() async throws -> Bool {
        guard status.withLock(\.place).isSentOrAdded else { return false }
        return try await changed { .pause([$0]) }.changed > 0
    }

    /// Continues the paused operation.
    ///
    /// - Returns: whether the operation was paused.
    /// - Throws: ``ClusterError``, and `CancellationError` if the task is cancelled.
    @discardableResult
    public final func resume() async throws -> Bool {
        guard status.withLock(\.place).isSentOrAdded else { return false }
        return try await changed { .resume([$0]) }.changed > 0
    }

    /// Sends a signal to the processes of the executing operation.
    ///
    /// - Parameter name: the name of the signal without `SIG`, such as `USR1`.
    /// - Returns: whether the worker of the operation was sent the signal. A Swift operation gets none.
    /// - Throws: ``ClusterError``, with the code `invalid` for an unknown signal, and `CancellationError` if the task is cancelled.
    @discardableResult
    public final func send(signal name: String) async throws -> Bool {
        guard let signal = OperationSignal(rawValue: name) else {
            let known = OptionForm.choice(of: OperationSignal.allCases.map(\.rawValue))
            throw ClusterError(.invalid, "There is no signal \"\(name.asShown)\": give \(known).")
        }
        guard status.withLock(\.place).isSentOrAdded else { return false }
        return try await changed { .signal([$0], signal) }.changed > 0
    }

    /// The release of the operation, unless it waits for the addition of another one when the release has its turn (L6).
    private func releaseChange(
        completion: (@Sendable (Result<ChangeReport, ClusterError>) -> Void)?
    ) -> LineChange {
        LineChange(completion: completion) { () throws(ClusterError) in
            let place = self.status.withLock(\.place)
            guard case .added(let queue, let id) = place, !queue.cluster.missing.isWaiting(self) else { return nil }
            return .release([.operation(id)])
        }
    }

    private func note(isHeld: Bool) -> OperationPlace {
        status.withLock { status in
            status.isHeld = isHeld
            return status.place
        }
    }

    /// Asks for a change of the added operation, whose answer nobody awaits.
    func change(_ request: @escaping @Sendable (Address) -> Request) {
        guard let queue else { return }
        queue.cluster.line.append(.change(LineChange(of: self, request)))
    }

    /// Asks for a change of the added operation, and returns the answer.
    @discardableResult
    func changed(_ request: @escaping @Sendable (Address) -> Request) async throws -> ChangeReport {
        guard let queue else { return ChangeReport(changed: 0) }
        return try await queue.cluster.line.changed { LineChange(of: self, request, completion: $0) }
    }
}
