import Operations
import Scheduler
import Store
import Wire

extension CoordinatorLoop {
    /// Submits, after asking the record about what the scheduler does not hold: the key, and finished dependencies.
    func submit(_ lookedUp: LookedUpSubmission, for client: ReplyAddress) {
        if refusedForStoreTrouble(client) { return }
        let unheld = scheduler.unheldDependencies(of: lookedUp.submission).subtracting(lookedUp.settled.keys)
        let key = lookedUp.isKeyNew ? nil : lookedUp.submission.key
        guard !unheld.isEmpty || key.map({ scheduler.job(withKey: $0) == nil }) ?? false else {
            apply(.submit(lookedUp.submission, settled: lookedUp.settled, request: expectAnswer(for: client)))
            return
        }
        lookUp(for: client) { store throws(StoreError) in
            if let key, let job = try store.job(withKey: key) {
                let reply = Reply.job(job.number, operations: UInt32(job.operations), isNew: false)
                return .success(.send(ClientReply.reply(client.number, reply).encoded(), to: client.peer))
            }
            var result = lookedUp
            result.isKeyNew = true
            for address in unheld {
                var resolved = address
                if case .named(let job, let name) = address, let range = try store.operations(named: name, in: job) {
                    guard range.count == 1 else { return .failure(.wholeArray(address, first: range.lowerBound)) }
                    resolved = .operation(OperationID(job: job, index: range.lowerBound))
                }
                guard let fate = try store.settled(resolved) else {
                    let sentence = "The submission depends on \(address), which does not exist. See \"baton list\"."
                    return .failure(Refusal(.unknownDependency, sentence))
                }
                result.settled[resolved] = fate
                if resolved != address { result.submission.replaceDependency(on: address, with: resolved) }
            }
            return .success(.submission(result, from: client))
        }
    }
}

extension Submission {
    /// Gives a dependency of all entries another address.
    fileprivate mutating func replaceDependency(on address: Address, with resolved: Address) {
        for entry in entries.indices {
            for position in entries[entry].dependencies.indices
            where entries[entry].dependencies[position].target == .existing(address) {
                entries[entry].dependencies[position].target = .existing(resolved)
            }
        }
    }
}
