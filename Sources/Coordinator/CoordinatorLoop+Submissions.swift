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
                guard let (resolved, fate) = try Self.settled(address, store) else {
                    let sentence = "The submission depends on \(address), which does not exist. See \"baton list\"."
                    return .failure(Refusal(.unknownDependency, sentence))
                }
                result.settled[resolved] = fate
                if resolved != address { result.submission.replaceDependency(on: address, with: resolved) }
            }
            return .success(.submission(result, from: client))
        }
    }

    /// What the record says of something that the scheduler does not hold; nil where it does not exist.
    private static func settled(
        _ address: Address,
        _ store: any Store
    ) throws(StoreError) -> (address: Address, fate: SettledDependency)? {
        var resolved = address
        if case .named(let job, let name) = address {
            guard let id = try store.operation(named: name, in: job) else { return nil }
            resolved = .operation(id)
        }
        return try store.settled(resolved).map { (resolved, $0) }
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
