import Synchronization
@_spi(Baton) import BatonOperations

extension DistributedOperationQueue {
    /// Adds an operation, which runs as soon as it can.
    ///
    /// The call does not wait for the coordinator: operations that are added while an answer is outstanding go together. A
    /// refusal is thrown by the next wait or flush, and the operation is then finished here as failed. If the coordinator
    /// does not answer, the next wait or flush throws that, and each later call asks for the addition again.
    ///
    /// - Throws: ``ClusterError``: `alreadyAdded`, `coding`, `tooLarge`, `invalid`, `cycle`, `closed`, or `overloaded` if too many
    ///   operations have no answer; the operation is as it was then.
    public func addOperation(_ op: DistributedOperation) throws(ClusterError) {
        try add(op)
    }

    /// Adds an operation, and returns when the coordinator has it on disk.
    ///
    /// - Throws: ``ClusterError``, after which the operation is as it was; and `CancellationError` if the task is cancelled. After
    ///   `lost` and after the cancellation, the operation may have been added or not; the same call with the same object repeats the
    ///   request, and adds nothing twice.
    public func addOperation(_ op: DistributedOperation) async throws {
        try await add(op, isBarrier: false)
    }

    /// Adds an operation written in Swift, as ``addOperation(_:)-395np`` does.
    @discardableResult
    public func addOperation<Work: ClusterOperation>(_ work: Work) throws(ClusterError) -> RemoteOperation<Work> {
        let operation = RemoteOperation(work)
        try add(operation)
        return operation
    }

    /// Adds an operation written in Swift, and returns when the coordinator has it on disk.
    ///
    /// A call that has thrown `lost` can be repeated with the same object alone, and this form makes an object for each call.
    /// To be able to repeat, add a ``RemoteOperation`` of your own.
    ///
    /// - Throws: ``ClusterError``, and `CancellationError` if the task is cancelled.
    @discardableResult
    public func addOperation<Work: ClusterOperation>(_ work: Work) async throws -> RemoteOperation<Work> {
        let operation = RemoteOperation(work)
        try await addOperation(operation)
        return operation
    }

    /// Adds operations as one job, all of them or none, in the order of the array.
    ///
    /// - Parameters:
    ///   - ops: the operations; none have no effect.
    ///   - wait: whether to block until all of them are finished. Otherwise the call does not wait for the coordinator.
    /// - Throws: ``ClusterError`` as ``addOperation(_:)-395np`` and the waits do.
    @available(*, noasync)
    public func addOperations(_ ops: [DistributedOperation], waitUntilFinished wait: Bool) throws(ClusterError) {
        guard !wait else {
            _ = try blocking { try await self.addOperations(ops, waitUntilFinished: true) }
            return
        }
        guard !ops.isEmpty else { return }
        let additions = try prepare(ops)
        try append(additions, .group(AdditionGroup(additions: additions, name: nil, key: nil, completion: nil)))
    }

    /// Adds operations as one job, all of them or none, in the order of the array, and returns when they are on disk.
    ///
    /// - Parameters:
    ///   - ops: the operations; none have no effect, and give a job without operations.
    ///   - wait: whether to return only when all of them are finished.
    /// - Returns: the job.
    /// - Throws: ``ClusterError``, after which the operations are as they were; and `CancellationError` if the task is cancelled.
    ///   After `lost` and after the cancellation, the job may have been made or not; the same call with the same objects in the same
    ///   order repeats the request, and adds nothing twice.
    @discardableResult
    public func addOperations(_ ops: [DistributedOperation], waitUntilFinished wait: Bool = false) async throws -> Job {
        let job = try await add(ops, name: nil, key: nil)
        if wait { try await job.waitUntilFinished() }
        return job
    }

    /// Adds a whole graph as one job, all of it or nothing, and returns when it is on disk.
    ///
    /// ```swift
    /// let (downloads, images) = (cluster.queue("downloads"), cluster.queue("images"))
    /// let fetch = CommandOperation("curl", "-fsSo", "a.png", "https://example.org/a.png")
    /// let job = try await downloads.addOperations(name: "thumbnails") {
    ///     fetch
    ///     CommandOperation("convert", "a.png", "b.png").needs(fetch).on(images)
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - name: the name of the job.
    ///   - key: a key that a repeated submission has again. With a known key, the job is the earlier one (``Job/isNew`` is false),
    ///     and the objects become its operations by their positions.
    ///   - rejectUnplaceable: whether to refuse a graph of which no worker present can ever take an operation. Workers may join
    ///     later, so it is accepted otherwise.
    ///   - operations: the operations; ``DistributedOperation/on(_:)`` moves an operation to another queue.
    /// - Returns: the job.
    /// - Throws: ``ClusterError``, after which the operations are as they were; `keyConflict` if another submission had the key;
    ///   `unplaceable` if it was to be refused; and `CancellationError` if the task is cancelled.
    @discardableResult
    nonisolated(nonsending) public func addOperations(
        name: String? = nil,
        key: String? = nil,
        rejectUnplaceable: Bool = false,
        @OperationsBuilder _ operations: () throws -> [DistributedOperation]
    ) async throws -> Job {
        try await add(try operations(), name: name, key: key, rejectUnplaceable: rejectUnplaceable)
    }

    /// Adds an operation that runs alone in the queue: after all operations added before, and before all added later.
    ///
    /// - Throws: ``ClusterError`` as ``addOperation(_:)-395np`` does.
    public func addBarrierOperation(_ op: DistributedOperation) throws(ClusterError) {
        try add(op, isBarrier: true)
    }

    /// Adds a barrier, and returns when the coordinator has it on disk.
    ///
    /// - Throws: ``ClusterError``, after which the operation is as it was; and `CancellationError` if the task is cancelled.
    public func addBarrierOperation(_ op: DistributedOperation) async throws {
        try await add(op, isBarrier: true)
    }

    /// Adds an operation written in Swift that runs alone in the queue, as ``addBarrierOperation(_:)-6i1ox`` does.
    @discardableResult
    public func addBarrierOperation<Work: ClusterOperation>(_ work: Work) throws(ClusterError) -> RemoteOperation<Work>
    {
        let operation = RemoteOperation(work)
        try add(operation, isBarrier: true)
        return operation
    }

    /// Adds an operation written in Swift that runs alone in the queue, and returns when the coordinator has it on disk.
    ///
    /// - Throws: ``ClusterError``, and `CancellationError` if the task is cancelled.
    @discardableResult
    public func addBarrierOperation<Work: ClusterOperation>(_ work: Work) async throws -> RemoteOperation<Work> {
        let operation = RemoteOperation(work)
        try await addBarrierOperation(operation)
        return operation
    }

    // MARK: - Preparation

    private func add(
        _ operations: [DistributedOperation],
        name: String?,
        key: String?,
        rejectUnplaceable: Bool = false
    ) async throws -> Job {
        guard !operations.isEmpty else { return Job.empty(in: cluster, name: name) }
        if let job = try await jobOfCancelledCall(adding: operations, isGroup: true) {
            return Job(job, name: name, isNew: true, cluster: cluster)
        }
        let submitted: (number: JobNumber, isNew: Bool) = try await answerWithRoom(for: operations.count) {
            completion throws(ClusterError) in
            let additions = try prepare(operations, name: name, key: key)
            let group = AdditionGroup(
                additions: additions,
                name: name,
                key: key,
                rejectsUnplaceable: rejectUnplaceable,
                completion: completion
            )
            try append(additions, .group(group))
        } cancelled: {
            CancelledAddition.note(operations, in: self, isGroup: true)
        }
        return Job(submitted.number, name: name, isNew: submitted.isNew, cluster: cluster)
    }

    private func add(_ operation: DistributedOperation, isBarrier: Bool) async throws {
        if try await jobOfCancelledCall(adding: [operation], isGroup: false) != nil { return }
        try await answerWithRoom(for: 1) { completion throws(ClusterError) in
            try add(operation, isBarrier: isBarrier) { completion($0.map { .failure($0) } ?? .success(())) }
        } cancelled: {
            CancelledAddition.note([operation], in: self, isGroup: false)
        }
    }

    /// Appends additions as soon as there is room for them (L14), and waits for the answer.
    private func answerWithRoom<Value: Sendable>(
        for count: Int,
        _ append: (@escaping @Sendable (Result<Value, ClusterError>) -> Void) throws(ClusterError) -> Void,
        cancelled: () -> Void
    ) async throws -> Value {
        while true {
            try await cluster.line.room(for: count)
            var isAppended = false
            do {
                return try await answer { completion in
                    do throws(ClusterError) {
                        try append(completion)
                        isAppended = true
                    } catch {
                        completion(.failure(error))
                    }
                }
            } catch let error as ClusterError where error.code == .overloaded {
                // Another task was faster.
                try Task.checkCancellation()
            } catch is CancellationError {
                if isAppended { cancelled() }
                throw CancellationError()
            }
        }
    }

    private func add(
        _ operation: DistributedOperation,
        isBarrier: Bool = false,
        completion: (@Sendable (ClusterError?) -> Void)? = nil
    ) throws(ClusterError) {
        try refuseOtherThanRepetition([operation], name: nil, key: nil, isGroup: false)
        let makesBarrier = isBarrier && !operation.isBarrier
        let addition = try prepare(operation, makesBarrier: makesBarrier, completion: completion)
        do throws(ClusterError) {
            try DependencyCycle.refuse(adding: [operation], missing: cluster.missing)
            if makesBarrier { operation.status.withLock { $0.isBarrier = true } }
            operation.expectDependencies(in: cluster)
            try cluster.line.append(adding: .addition(addition), count: 1)
        } catch {
            operation.withdraw(asBarrier: makesBarrier, leaving: addition.earlier)
            throw error
        }
    }

    private func prepare(
        _ operations: [DistributedOperation],
        name: String? = nil,
        key: String? = nil
    ) throws(ClusterError) -> [Addition] {
        try refuseOtherThanRepetition(operations, name: name, key: key, isGroup: true)
        var additions: [Addition] = []
        additions.reserveCapacity(operations.count)
        do throws(ClusterError) {
            for operation in operations {
                additions.append(try prepare(operation, makesBarrier: false, completion: nil))
            }
            try DependencyCycle.refuse(adding: operations, missing: cluster.missing)
        } catch {
            for addition in additions { addition.operation.withdraw(asBarrier: false, leaving: addition.earlier) }
            throw error
        }
        return additions
    }

    private func append(_ additions: [Addition], _ item: LineItem) throws(ClusterError) {
        do throws(ClusterError) {
            for addition in additions { addition.operation.expectDependencies(in: cluster) }
            try cluster.line.append(adding: item, count: additions.count)
        } catch {
            for addition in additions { addition.operation.withdraw(asBarrier: false, leaving: addition.earlier) }
            throw error
        }
    }

    /// Checks an operation, and claims it for a queue.
    private func prepare(
        _ operation: DistributedOperation,
        makesBarrier: Bool,
        completion: (@Sendable (ClusterError?) -> Void)?
    ) throws(ClusterError) -> Addition {
        let (chosen, name, quality, expecting) = operation.status.withLock {
            ($0.chosenQueue, $0.name, $0.quality, $0.expecting)
        }
        let queue = chosen ?? self
        guard queue.cluster === cluster else {
            throw ClusterError(
                .invalid,
                "The queue \"\(queue.name.asShown)\" that an operation names is one of another cluster."
            )
        }
        for other in expecting where other.coordinator != cluster.coordinator && other.missing.isMissing(operation) {
            throw .dependency(at: other.coordinator, on: cluster.coordinator)
        }
        var (template, entry) = try operation.options.parts(of: operation.makeWork())
        template.qualityOfService = quality.map { BatonOperations.QualityOfService($0) }
        entry.name = name
        try queue.check(template, entry)
        let earlier = try operation.status.withLock { status throws(ClusterError) -> UnansweredAddition? in
            let earlier: UnansweredAddition?
            switch status.place {
            case .free: earlier = nil
            case .unanswered(let addition):
                guard addition.isRepeated(by: queue, asBarrier: makesBarrier || status.isBarrier) else {
                    throw .isNoRepetition(of: addition.submission, name: name)
                }
                earlier = addition
            case .waiting, .sent, .added, .refused: throw .alreadyAdded(name, byCancelledCall: status.cancelledAddition)
            }
            status.place = .waiting(queue)
            status.cancellationsBefore = queue.settings.withLock(\.cancellations)
            return earlier
        }
        return Addition(
            operation: operation,
            queue: queue,
            template: template,
            entry: entry,
            makesBarrier: makesBarrier,
            completion: completion,
            earlier: earlier
        )
    }

    /// Checks what does not depend on other operations.
    private func check(_ template: Template, _ entry: Entry) throws(ClusterError) {
        if let name = entry.name, let objection = Name.objection(to: name) {
            throw ClusterError(.invalid, "The name \"\(name.asShown)\" of an operation is not allowed: \(objection).")
        }
        guard !entry.hasDefaultOptions || settings.withLock({ $0.checked != template }) else { return }
        do throws(Refusal) {
            try Submission(queueNames: [self.name], templates: [template], entries: [entry]).validated()
        } catch {
            throw ClusterError(error)
        }
        settings.withLock { $0.checked = template }
    }
}
