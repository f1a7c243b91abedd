@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonScheduler
@_spi(Baton) import BatonStore
@_spi(Baton) import BatonWire

/// A client's request to change the dependencies of an operation, with all addresses looked up.
struct DependencyRequest: Sendable {
    /// The kinds of change.
    enum Change: Sendable {
        /// Add these dependencies; with the outcomes of the targets that are finished, and the files that they left.
        case add([Dependency], ends: [Address: DependencyEnd], files: [FileSource])
        /// Remove the dependencies on these targets.
        case remove([Address])
    }

    /// The dependent operation.
    var operation: OperationID
    /// The requested change.
    var change: Change
}

/// Adds and removes dependencies after the submission.
extension CoordinatorCore {
    func depend(_ address: Address, _ dependencies: [ExistingDependency], for client: ReplyAddress) {
        let added = dependencies.map { Dependency(on: .existing($0.target), condition: $0.condition) }
        depend(address, liveSingle(address), added, ends: [:], files: [], for: client)
    }

    /// Adds dependencies, after the record has supplied the outcomes of the finished targets.
    private func depend(
        _ address: Address,
        _ known: OperationID?,
        _ added: [Dependency],
        ends: [Address: DependencyEnd],
        files: [FileSource],
        for client: ReplyAddress
    ) {
        let targets = added.compactMap { dependency -> Address? in
            if case .existing(let target) = dependency.target { target } else { nil }
        }
        let unknown = scheduler.unknownTargets(targets).filter { ends[$0] == nil }
        if let known, unknown.isEmpty {
            let request = DependencyRequest(operation: known, change: .add(added, ends: ends, files: files))
            return apply(request, for: client)
        }
        lookUp(for: client, pinning: Set(targets.map(\.job))) { store throws(StoreError) in
            let operation: OperationID
            switch try Self.single(known, address, store) {
            case .success(let id): operation = id
            case .failure(let refusal): return .failure(refusal)
            }
            var added = added
            var ends = ends
            var files = files
            for target in unknown {
                var resolved = target
                if case .named(let job, let name) = target, let range = try store.operations(named: name, in: job) {
                    // Only a single operation's name is replaced by its address; an array keeps its name.
                    if range.count == 1 { resolved = .operation(OperationID(job: job, index: range.lowerBound)) }
                }
                guard let fate = try store.dependencyEnd(of: resolved) else {
                    return .failure(try Self.absence(of: target, store))
                }
                ends[resolved] = fate
                if fate.hasFiles { files += try store.fileSources(of: resolved) }
                added = added.map { dependency in
                    dependency.target == .existing(target)
                        ? Dependency(on: .existing(resolved), condition: dependency.condition) : dependency
                }
            }
            let change = DependencyRequest.Change.add(added, ends: ends, files: files)
            return .success(.dependencies(DependencyRequest(operation: operation, change: change), from: client))
        }
    }

    func undepend(_ address: Address, _ targets: [Address], for client: ReplyAddress) {
        let known = liveSingle(address)
        lookUp(for: client) { store throws(StoreError) in
            let operation: OperationID
            switch try Self.single(known, address, store) {
            case .success(let id): operation = id
            case .failure(let refusal): return .failure(refusal)
            }
            var resolved: [Address] = []
            var stored = StoredTargets(store)
            for target in targets {
                guard let meant = try stored.target(of: target) else {
                    return .failure(try Self.absence(of: target, store))
                }
                if case .operations(let job, let range) = meant, range.count == 1 {
                    resolved.append(.operation(OperationID(job: job, index: range.lowerBound)))
                } else {
                    resolved.append(target)
                }
            }
            let change = DependencyRequest.Change.remove(resolved)
            return .success(.dependencies(DependencyRequest(operation: operation, change: change), from: client))
        }
    }

    /// Continues with a request after the record's answer.
    func resume(_ request: DependencyRequest, for client: ReplyAddress) {
        guard case .add(let dependencies, let ends, let files) = request.change else {
            return apply(request, for: client)
        }
        // More of the targets may have finished in the meantime.
        let operation = request.operation
        depend(.operation(operation), operation, dependencies, ends: ends, files: files, for: client)
    }

    private func apply(_ request: DependencyRequest, for client: ReplyAddress) {
        if let refusal = storeRefusal() { return send(.refused(refusal), to: client) }
        let answer = answers.expect(for: client)
        switch request.change {
        case .add(let dependencies, let ends, let files):
            apply(.depend(request.operation, dependencies, ends: ends, request: answer), knowing: files)
        case .remove(let targets):
            apply(.undepend(request.operation, targets, request: answer))
        }
    }

    /// The single operation that an address denotes, if the scheduler knows it; a job denotes its only operation.
    func liveOnly(_ address: Address) -> OperationID? {
        guard case .job(let job) = address else { return liveSingle(address) }
        return scheduler.counts(of: job)?.total == 1 ? OperationID(job: job, index: 0) : nil
    }

    /// The single operation that an address denotes, if the scheduler knows the operation or, for a name, the named job.
    func liveSingle(_ address: Address) -> OperationID? {
        switch address {
        case .job, .operations: nil
        case .operation(let id): scheduler.record(of: id) == nil ? nil : id
        case .named(let job, let name):
            scheduler.operations(named: name, in: job).flatMap { range in
                range.count == 1 ? OperationID(job: job, index: range.lowerBound) : nil
            }
        }
    }

    /// The single operation that an address denotes, already known or else read from the record; or the refusal.
    static func single(
        _ known: OperationID?,
        _ address: Address,
        _ store: any RecordReader
    ) throws(StoreError) -> Result<OperationID, Refusal> {
        if let known { return .success(known) }
        switch try storedTarget(address, store) {
        case .operations(let job, let range)? where range.count == 1:
            return .success(OperationID(job: job, index: range.lowerBound))
        case .operations(let job, let range)?:
            return .failure(
                .notSingle("\(address.asShown) is an array of several operations", in: job, first: range.lowerBound)
            )
        case .job?, .queue?:
            return .failure(.notSingle("\(address) is a job", in: address.job, first: 0))
        case nil:
            return .failure(try absence(of: address, store))
        }
    }
}
