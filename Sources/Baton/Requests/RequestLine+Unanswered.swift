@_spi(Baton) import BatonClient
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWire
import Synchronization

/// Additions whose answers did not come: they are not refused, and may have been made (L4).
extension RequestLine {
    /// The error of a result that is no answer to a submission, and whether the submission may have been accepted.
    static func failure(of result: Result<Reply, ClientError>) -> (ClusterError, mayBeMade: Bool) {
        if case .failure(let failure) = result {
            (ClusterError(failure), failure.mayBeDone)
        } else {
            (.wrongReply, true)
        }
    }

    /// Sends a submission again, as it was and under its key, unless its end is known by now.
    func submit(again earlier: UnansweredSubmission, _ additions: [Addition], as group: AdditionGroup?) {
        switch earlier.finding {
        case .made(let job): return succeed(additions, of: group, as: job, isNew: true)
        case .notMade:
            var group = group
            let fresh = additions.map { addition in
                var fresh = addition
                fresh.earlier = nil
                return fresh
            }
            group?.additions = fresh
            return submit(fresh, as: group)
        case .unknown: break
        }
        for addition in additions {
            guard let missing = addition.earlier?.missing, !missing.isEmpty else { continue }
            self.missing.note(addition.operation, waitsFor: missing)
        }
        channel.send(.submit(earlier.submission), timeout: nil) { result in
            switch result {
            case .success(.job(let number, _, let isNew)):
                earlier.finding = .made(number)
                // The job is that of these objects, unless the program gave a key that an earlier program may have used.
                let isOwn = group?.key == nil
                self.succeed(additions, of: group, as: number, isNew: isNew || isOwn)
            case .success(.refused(let refusal)):
                let error = ClusterError(refusal)
                guard error.provesAbsence else { return self.stay(additions, of: group, in: earlier, error) }
                earlier.finding = .notMade
                if let group { return self.end(group, error) }
                // Each addition is refused or accepted on its own.
                self.again([.part(additions)], answered: 0)
            case .success, .failure: self.stay(additions, of: group, in: earlier, Self.failure(of: result).0)
            }
        }
    }

    /// Ends the way of a submission without an answer: what nobody awaits stays in the line, and awaited additions throw.
    func stay(
        _ additions: [Addition],
        of group: AdditionGroup?,
        in sent: UnansweredSubmission,
        _ error: ClusterError
    ) {
        let isOpen = if case .unknown = sent.finding { true } else { false }
        let shown = isOpen ? error.ofUnansweredAddition(sent) : error
        if let group, let completion = group.completion {
            for (index, addition) in additions.enumerated() { withdraw(addition, from: isOpen ? (sent, index) : nil) }
            completion(.failure(shown))
            return again([], answered: additions.count)
        }
        var kept: [Addition] = []
        for (index, addition) in additions.enumerated() {
            let index = addition.earlier?.index ?? index
            if let completion = addition.completion {
                withdraw(addition, from: isOpen ? (sent, index) : nil)
                completion(shown)
                continue
            }
            var staying = addition
            staying.earlier =
                addition.earlier
                ?? UnansweredAddition(
                    submission: sent,
                    index: index,
                    queue: addition.queue,
                    isKept: true,
                    dependencies: addition.operation.status.withLock(\.dependencies)
                )
            kept.append(staying)
        }
        guard !kept.isEmpty else { return again([], answered: additions.count) }
        if error.code == .closed {
            for addition in kept { leave(.part([addition]), error) }
            return again([], answered: additions.count)
        }
        let item: LineItem
        if var group {
            group.additions = kept
            item = .group(group)
        } else {
            item = .part(kept)
        }
        let (awaited, resumed) = state.withLock { state in
            state.prepend([item])
            state.submissionEnded(answered: additions.count - kept.count)
            defer { state.waitingForRoom = [] }
            return (state.stall(), state.waitingForRoom)
        }
        for item in awaited { leave(item, error) }
        for resume in resumed { resume(error) }
    }

    /// Tells whoever awaits an item that has left the line, and gives its objects back to the program.
    func leave(_ item: LineItem, _ error: ClusterError) {
        for addition in item.additions {
            let sent = addition.earlier.flatMap { earlier -> (UnansweredSubmission, index: Int)? in
                if case .notMade = earlier.submission.finding { return nil }
                return (earlier.submission, earlier.index)
            }
            withdraw(addition, from: sent)
            addition.completion?(error)
        }
        switch item {
        case .point(let pass): pass(error)
        case .change(let change): change.completion?(.failure(error))
        case .group(let group): group.completion?(.failure(error))
        case .addition, .part: break
        }
    }

    /// The changes that the program has made to an operation since its addition failed.
    func changes(of operation: DistributedOperation, since earlier: UnansweredAddition) -> [LineItem] {
        guard !earlier.isKept else { return [] }
        let entry = earlier.submission.submission.entries[earlier.index]
        let (priority, isHeld, isCancelled, dependencies) = operation.status.withLock {
            ($0.priority.stored, $0.isHeld, $0.isCancelled, $0.dependencies)
        }
        for dependency in dependencies where !earlier.dependencies.contains(where: { $0.isSame(as: dependency) }) {
            add(dependency, to: operation)
        }
        for dependency in earlier.dependencies where !dependencies.contains(where: { $0.isSame(as: dependency) }) {
            if let target = dependency.operation { remove(dependencyOn: target, of: operation) }
        }
        var changes: [LineChange] = []
        if priority != entry.priority { changes.append(LineChange(of: operation) { .setPriority([$0], priority) }) }
        if isHeld, !entry.isHeld { changes.append(LineChange(of: operation) { .hold([$0]) }) }
        if !isHeld, entry.isHeld, !missing.isWaiting(operation) {
            changes.append(LineChange(of: operation) { .release([$0]) })
        }
        if isCancelled, !entry.isCancelled { changes.append(LineChange(of: operation) { .cancel([$0], queue: nil) }) }
        return changes.map { .change($0) }
    }
}
