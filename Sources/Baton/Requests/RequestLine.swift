@_spi(Baton) import BatonClient
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWire
import Synchronization

/// All that a program asks of a cluster, in the order of the program (L3).
///
/// One submission is on its way at a time; what is added meanwhile goes together as the next one (L5). Changes follow each other
/// without waiting for answers, and wait for the submissions before them, whose answers have the addresses.
final class RequestLine: Sendable {
    let state = Mutex(LineState())
    let channel: any RequestChannel
    private var coordinator: String { channel.endpoint }
    /// The most operations without an answer (L14).
    private let maximumUnanswered: Int
    private let registry: OperationRegistry
    let missing: MissingAdditions

    init(
        to channel: any RequestChannel,
        maximumUnanswered: Int,
        registry: OperationRegistry,
        missing: MissingAdditions
    ) {
        self.channel = channel
        self.maximumUnanswered = maximumUnanswered
        self.registry = registry
        self.missing = missing
    }

    // MARK: - Asking

    /// Appends what does not add operations; after the end of the cluster, it has no effect.
    func append(_ item: LineItem) {
        state.withLock { $0.append(item) }
        advance()
    }

    /// Appends additions, unless too many operations have no answer or the cluster was closed.
    ///
    /// - Throws: ``ClusterError`` `overloaded` or `closed`; nothing was appended then.
    func append(adding item: LineItem, count: Int) throws(ClusterError) {
        try state.withLock { state throws(ClusterError) in
            guard !state.isClosed else { throw .closed }
            // A larger group than the limit goes alone.
            guard state.unanswered == 0 || state.unanswered + count <= maximumUnanswered else {
                throw ClusterError(
                    .overloaded,
                    "\(state.unanswered) operations wait for the coordinator's answer. Wait for some of them, or add operations "
                        + "with await, which waits by itself."
                )
            }
            state.append(item)
        }
        advance()
    }

    /// Waits until a number of operations can be appended.
    ///
    /// - Throws: ``ClusterError`` of a connection that gives no room, and `CancellationError` if the task is cancelled.
    func room(for count: Int) async throws {
        try await answer { (completion: @escaping @Sendable (Result<Void, ClusterError>) -> Void) in
            let hasRoom = state.withLock { state in
                if state.isClosed || state.unanswered == 0 || state.unanswered + count <= maximumUnanswered {
                    return true
                }
                state.waitingForRoom.append { completion($0.map { .failure($0) } ?? .success(())) }
                state.resume()
                return false
            }
            if hasRoom { completion(.success(())) } else { advance() }
        }
    }

    /// Appends a change, and waits for its answer.
    ///
    /// - Throws: ``ClusterError``, and `CancellationError` if the task is cancelled, after which the change may be made or not.
    func changed(
        _ change: (@escaping @Sendable (Result<ChangeReport, ClusterError>) -> Void) -> LineChange
    ) async throws -> ChangeReport {
        if state.withLock(\.isClosed) { throw ClusterError.closed }
        return try await answer { append(.change(change($0))) }
    }

    /// Waits until everything that was asked before has been answered.
    ///
    /// - Throws: ``ClusterError`` if the coordinator has not answered an addition that nobody awaits, which is asked for again by the
    ///   next call (L4); and `CancellationError` if the task is cancelled.
    func passed() async throws {
        try await answer { completion in
            append(.point { error in completion(error.map { .failure($0) } ?? .success(())) })
        }
    }

    /// Takes the first failure of what nobody awaited (L4).
    func throwFailure() throws(ClusterError) {
        let failure = state.withLock { state in
            defer { state.failure = nil }
            return state.failure
        }
        if let failure { throw failure }
    }

    /// Lets no more operations in; what is in the line goes on.
    func close() {
        let waiting = state.withLock { state in
            state.isClosed = true
            defer { state.waitingForRoom = [] }
            return state.waitingForRoom
        }
        for resume in waiting { resume(nil) }
    }

    /// Gives the objects of additions without an answer back to the program, and drops everything else.
    func giveUp() {
        let rest = state.withLock { $0.takeAll() }
        for item in rest { leave(item, .closed) }
        // The caller throws the error of the connection.
        state.withLock { $0.failure = nil }
    }

    // MARK: - Steps

    /// Carries out what can be done now; another thread may do so already.
    func advance() {
        while true {
            let step = state.withLock { state -> LineState.Step? in
                guard !state.isBusy else { return nil }
                let step = state.next()
                state.isBusy = step != nil
                return step
            }
            guard let step else { return }
            switch step {
            case .submit(let additions, let group): submit(additions, as: group)
            case .change(let change): send(change)
            case .pass(let pass): pass(nil)
            }
            state.withLock { $0.isBusy = false }
        }
    }

    private func send(_ change: LineChange) {
        let request: Request?
        do {
            request = try change.request()
        } catch {
            return end(change, .failure(error))
        }
        guard let request else { return end(change, .success(ChangeReport(changed: 0))) }
        channel.send(request, timeout: nil) { result in
            switch result {
            case .success(.changed(let report)): self.end(change, .success(report))
            case .success(.refused(let refusal)) where change.ignoresAbsence && refusal.code == .notFound:
                self.end(change, .success(ChangeReport(changed: 0)))
            case .success(.refused(let refusal)): self.end(change, .failure(ClusterError(refusal)))
            case .success: self.end(change, .failure(.wrongReply))
            case .failure(let error): self.end(change, .failure(ClusterError(error)))
            }
        }
    }

    private func end(_ change: LineChange, _ result: Result<ChangeReport, ClusterError>) {
        // The completion may put something before all that waits, and so comes before the line goes on.
        change.completion?(result)
        state.withLock { state in
            state.changeEnded()
            if change.completion == nil, case .failure(let error) = result { state.failure = state.failure ?? error }
        }
        advance()
    }

    func submit(_ additions: [Addition], as group: AdditionGroup?) {
        if let earlier = additions.first?.earlier?.submission { return submit(again: earlier, additions, as: group) }
        switch SubmissionBuilder.build(additions, name: group?.name, key: group?.key, missing: missing) {
        case .failure(let failed):
            if let group { return end(group, failed.error) }
            // The submission goes without the addition that cannot be made.
            fail([additions[failed.position]], failed.error)
            var rest = additions
            rest.remove(at: failed.position)
            again(rest.isEmpty ? [] : [.part(rest)], answered: 1)
        case .success(var submission):
            submission.rejectsUnplaceable = group?.rejectsUnplaceable ?? false
            channel.send(.submit(submission), timeout: nil) { [submission] in
                self.receive($0, to: submission, for: additions, of: group)
            }
        }
    }

    private func receive(
        _ result: Result<Reply, ClientError>,
        to submission: Submission,
        for additions: [Addition],
        of group: AdditionGroup?
    ) {
        let error: ClusterError
        switch result {
        case .success(.job(let number, _, let isNew)):
            return succeed(additions, of: group, as: number, isNew: isNew)
        case .success(.refused(let refusal)): error = ClusterError(refusal)
        case .failure(let failure) where [.tooLarge, .refused].contains(failure.code): error = ClusterError(failure)
        case .success, .failure:
            let (error, mayBeMade) = Self.failure(of: result)
            let sent = UnansweredSubmission(submission, isGroup: group != nil, mayBeMade ? .unknown : .notMade)
            return stay(additions, of: group, in: sent, error)
        }
        if let group { return end(group, error) }
        guard additions.count > 1, error.concernsContent else {
            fail(additions, error)
            return again([], answered: additions.count)
        }
        // Each addition succeeds or fails alone (L5); halves find the bad ones in few requests.
        let middle = additions.count / 2
        again([.part(Array(additions[..<middle])), .part(Array(additions[middle...]))], answered: 0)
    }

    func again(_ items: [LineItem], answered count: Int) {
        let resumed = state.withLock { state in
            state.prepend(items)
            state.submissionEnded(answered: count)
            return takeThoseWithRoom(&state)
        }
        for resume in resumed { resume(nil) }
        advance()
    }

    private func takeThoseWithRoom(_ state: inout LineState) -> [@Sendable (ClusterError?) -> Void] {
        guard !state.waitingForRoom.isEmpty, state.unanswered <= maximumUnanswered / 2 else { return [] }
        defer { state.waitingForRoom = [] }
        return state.waitingForRoom
    }

    func succeed(_ additions: [Addition], of group: AdditionGroup?, as job: JobNumber, isNew: Bool) {
        var completed: [LineItem] = []
        registry.add(additions, of: job)
        for (index, addition) in additions.enumerated() {
            let id = OperationID(job: job, index: UInt32(addition.earlier?.index ?? index))
            addition.operation.wasAdded(to: addition.queue, as: id)
            completed += missing.added(addition.operation).map { self.item(completing: $0) }
            // A dependency that is added through another cluster object may have got its address meanwhile.
            if let late = missing.resolved(addition.operation) { completed.append(item(completing: late)) }
        }
        for addition in additions {
            for other in addition.operation.takeExpecting() where other !== addition.queue.cluster {
                other.line.added(addition.operation)
            }
            if let earlier = addition.earlier { completed += changes(of: addition.operation, since: earlier) }
        }
        for addition in additions { addition.completion?(nil) }
        group?.completion?(.success((number: job, isNew: isNew)))
        again(completed, answered: additions.count)
    }

    func end(_ group: AdditionGroup, _ error: ClusterError) {
        if let completion = group.completion {
            for addition in group.additions { withdraw(addition) }
            completion(.failure(error))
        } else {
            fail(group.additions, error)
        }
        again([], answered: group.additions.count)
    }

    /// Ends additions that nobody awaits as failed, and gives the objects of the others back.
    func fail(_ additions: [Addition], _ error: ClusterError) {
        for addition in additions {
            if let completion = addition.completion {
                withdraw(addition)
                completion(error)
                continue
            }
            addition.operation.wasRefused(by: addition.queue, error)
            state.withLock { $0.failure = $0.failure ?? error }
            cancelDependents(of: addition.operation, refusedWith: error)
            for other in addition.operation.takeExpecting() where other !== addition.queue.cluster {
                other.line.cancelDependents(of: addition.operation, refusedWith: error)
                other.line.advance()
            }
        }
    }

    /// Cancels the held operations that wait for an addition which was refused: nothing can release them any more (L6).
    private func cancelDependents(of refused: DistributedOperation, refusedWith error: ClusterError) {
        let changes = missing.refused(refused).map { dependent in
            dependent.noteRefusal(of: refused, error)
            return LineItem.change(LineChange(of: dependent) { .cancel([$0], queue: nil) })
        }
        state.withLock { $0.prepend(changes) }
    }

    /// Gives the object of an addition back to the program.
    ///
    /// - Parameter sent: the submission that may have made the addition, and the object's position there; nil for none.
    func withdraw(_ addition: Addition, from sent: (UnansweredSubmission, index: Int)? = nil) {
        let missing = missing.withdrawn(addition.operation)
        addition.queue.cluster.follower.letGo(addition.operation)
        let unanswered = sent.map { sent, index in
            if let earlier = addition.earlier, !earlier.isKept { return earlier }
            return UnansweredAddition(
                submission: sent,
                index: index,
                queue: addition.queue,
                isKept: false,
                dependencies: addition.earlier?.dependencies ?? addition.operation.status.withLock(\.dependencies),
                missing: missing
            )
        }
        addition.operation.withdraw(asBarrier: addition.makesBarrier, leaving: unanswered)
    }

    // MARK: - Dependencies on later additions

    /// Notes that an operation was added through another cluster object.
    private func added(_ operation: DistributedOperation) {
        let completed = missing.added(operation).map { self.item(completing: $0) }
        guard !completed.isEmpty else { return }
        state.withLock { $0.prepend(completed) }
        advance()
    }

    private func target(
        of dependency: OperationDependency,
        of dependent: DistributedOperation
    ) throws(ClusterError) -> Address? {
        try SubmissionBuilder.target(of: dependency, of: dependent, at: coordinator)
    }

    /// Adds a dependency of an operation whose submission has been made.
    func add(_ dependency: OperationDependency, to operation: DistributedOperation) {
        let missing = missing
        append(
            .change(
                LineChange(isExclusive: true) { () throws(ClusterError) in
                    guard let id = operation.status.withLock(\.place.id) else { return nil }
                    if try self.target(of: dependency, of: operation) == nil {
                        missing.note(operation, waitsFor: [dependency])
                    }
                    // The target may have been added meanwhile, through another cluster object.
                    guard let target = try self.target(of: dependency, of: operation) else {
                        return .hold([.operation(id)])
                    }
                    if let target = dependency.operation { _ = missing.remove(target, from: operation) }
                    let edge = ExistingDependency(on: target, condition: dependency.condition.stored)
                    return .depend(.operation(id), [edge])
                }
            )
        )
    }

    /// Removes the dependencies of an added operation on another one.
    func remove(dependencyOn target: DistributedOperation, of operation: DistributedOperation) {
        append(
            .change(
                LineChange(isExclusive: true) { () throws(ClusterError) in
                    guard let id = operation.status.withLock(\.place.id) else { return nil }
                    if let completed = self.missing.remove(target, from: operation) {
                        self.state.withLock { $0.prepend([self.item(completing: completed)]) }
                    }
                    guard let targetID = target.status.withLock(\.place.id) else { return nil }
                    return .undepend(.operation(id), [.operation(targetID)])
                }
            )
        )
    }

    /// Makes the edges to operations that are all added now, and releases the dependent operation after that.
    private func item(completing completed: MissingAdditions.Completed) -> LineItem {
        let operation = completed.operation
        let release = LineChange(of: operation) { .release([$0]) }
        return .change(
            LineChange(isExclusive: true) { result in
                switch result {
                case .success:
                    guard operation.status.withLock({ !$0.isHeld }) else { return }
                    self.state.withLock { $0.prepend([.change(release)]) }
                case .failure(let error):
                    self.state.withLock { $0.failure = $0.failure ?? error }
                }
            } _: { () throws(ClusterError) in
                guard let id = operation.status.withLock(\.place.id) else { return nil }
                var edges: [ExistingDependency] = []
                for dependency in completed.dependencies {
                    guard let target = try self.target(of: dependency, of: operation) else {
                        continue
                    }
                    edges.append(ExistingDependency(on: target, condition: dependency.condition.stored))
                }
                guard !edges.isEmpty else { return nil }
                return .depend(.operation(id), edges)
            }
        )
    }
}
