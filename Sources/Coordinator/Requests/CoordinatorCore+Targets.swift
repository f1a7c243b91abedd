@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonScheduler
@_spi(Baton) import BatonStore
@_spi(Baton) import BatonWire

/// Changes any number of jobs and operations, and finds the operations that addresses denote.
extension CoordinatorCore {
    func change(_ addresses: [Address], queue: String? = nil, _ change: OperationChange, for client: ReplyAddress) {
        if let refusal = storeRefusal() { return send(.refused(refusal), to: client) }
        resolve(addresses, queue: queue, for: client) { .change(change, $0, from: client) }
    }

    func apply(_ change: OperationChange, to targets: [Target], for client: ReplyAddress) {
        let selections = targets.map(\.selection)
        let request = answers.expect(for: client)
        switch change {
        case .cancel: apply(.cancel(selections, request: request))
        case .close: apply(.close(targets.compactMap(\.job), request: request))
        case .hold: apply(.hold(selections, request: request))
        case .release: apply(.release(selections, request: request))
        case .pause: apply(.pause(selections, request: request))
        case .resume: apply(.resume(selections, request: request))
        case .signal(let signal): apply(.signal(selections, signal, request: request))
        case .priority(let priority): apply(.setPriority(selections, priority, request: request))
        }
    }

    /// Resolves addresses and continues with a task, or refuses the request if any address does not exist.
    func resolve(
        _ addresses: [Address],
        queue: String?,
        for client: ReplyAddress,
        task: @escaping @Sendable ([Target]) -> CoordinatorTask
    ) {
        var targets: [Target] = []
        var unknown: [Address] = []
        if let queue {
            guard scheduler.queue(queue) != nil else {
                return send(.refused(.noSuchQueue(queue)), to: client)
            }
            targets.append(.queue(queue))
        }
        for address in addresses {
            if let target = liveTarget(address) { targets.append(target) } else { unknown.append(address) }
        }
        guard !unknown.isEmpty else {
            perform(task(targets))
            return
        }
        lookUp(for: client, pinning: Set(unknown.map(\.job))) { [targets, unknown] store throws(StoreError) in
            var targets = targets
            var stored = StoredTargets(store)
            for address in unknown {
                guard let target = try stored.target(of: address) else {
                    return .failure(try Self.absence(of: address, store))
                }
                targets.append(target)
            }
            return .success(task(targets))
        }
    }

    /// The target of an address that the scheduler knows; nil for any other address.
    func liveTarget(_ address: Address) -> Target? {
        switch address {
        case .job(let job):
            scheduler.counts(of: job) == nil ? nil : .job(job)
        case .operation(let id):
            scheduler.record(of: id) == nil ? nil : .operation(id)
        case .operations(let job, let range):
            scheduler.counts(of: job).flatMap { $0.total < range.upperBound ? nil : .operations(job, range) }
        case .named(let job, let name):
            scheduler.operations(named: name, in: job).map { .operations(job, $0) }
        }
    }

    /// The target of an address in the record; nil if the address does not exist.
    static func storedTarget(_ address: Address, _ store: any RecordReader) throws(StoreError) -> Target? {
        var stored = StoredTargets(store)
        return try stored.target(of: address)
    }
}
