import Synchronization
@_spi(Baton) import BatonClient
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWire

/// Finds what is in the cluster already.
extension Cluster {
    /// Finds a job by its number.
    ///
    /// - Throws: ``ClusterError`` `notFound`, and `CancellationError` if the task is cancelled.
    public func job(_ number: Int) async throws -> Job {
        guard let job = UInt32(exactly: number), job > 0 else {
            throw ClusterError(.notFound, "There is no job \(number).")
        }
        let snapshot = try await page(of: JobNumber(job), from: 0, limit: 1)
        return Job(JobNumber(job), name: snapshot.name, isNew: false, cluster: self)
    }

    /// Finds an operation by its address.
    ///
    /// - Returns: the object that the program holds already, if any; otherwise a ``CommandOperation`` or ``GroupOperation`` for
    ///   commands, and a plain operation for anything else.
    /// - Throws: ``ClusterError`` `notFound`, and `CancellationError` if the task is cancelled.
    public func operation(_ address: OperationAddress) async throws -> DistributedOperation {
        try await line.passed()
        return object(for: try await snapshot(of: try checked(address)))
    }

    /// Finds an operation written in Swift by its address.
    ///
    /// If the program has looked the operation up without its type, this is a second object for it.
    ///
    /// - Throws: ``ClusterError`` `notFound`; `coding` if the operation has another type, or an argument that the type does not
    ///   read; and `CancellationError` if the task is cancelled.
    public func operation<Work: ClusterOperation>(
        _ address: OperationAddress,
        as type: Work.Type
    ) async throws -> RemoteOperation<Work> {
        try await line.passed()
        let id = try checked(address)
        let snapshot = try await snapshot(of: id)
        guard snapshot.type == Work.typeName else {
            throw ClusterError(
                .coding,
                "The operation \(address) "
                    + (snapshot.type.map { "has the type \"\($0.asShown)\"" } ?? "is not written in Swift")
                    + ", and so is no \"\(Work.typeName.asShown)\"."
            )
        }
        guard let argument = snapshot.argument else {
            throw ClusterError(
                .coding,
                "The argument of \(address) is not shown: it is no text, or the key is a viewer's."
            )
        }
        let new = RemoteOperation(try TypedCoding.work(Work.self, from: Array(argument.utf8)))
        let object = registry.object(of: id, where: { $0 is RemoteOperation<Work> }, orElse: new)
        if object === new {
            new.wasFound(in: queue(snapshot.queue), as: id, snapshot)
        } else {
            object.apply(snapshot)
        }
        return object as? RemoteOperation<Work> ?? new
    }

    private func checked(_ address: OperationAddress) throws(ClusterError) -> OperationID {
        guard let id = address.id else { throw ClusterError(.notFound, "There is no operation \(address).") }
        return id
    }
}

extension Cluster {
    /// What the coordinator tells of an operation now.
    func snapshot(of id: OperationID) async throws -> OperationSnapshot {
        try OperationSnapshot(
            try await asking { channel throws(ClientError) in
                try await channel.document(.operation(.operation(id)))
            }
        )
    }

    /// What the coordinator tells of a job now, with a page of its operations.
    func page(of job: JobNumber, from index: UInt32, limit: UInt32 = JobSnapshot.pageLength) async throws -> JobSnapshot
    {
        try JobSnapshot(
            try await asking { channel throws(ClientError) in
                try await channel.document(.job(job, from: index, limit: limit))
            }
        )
    }

    /// The program's object for an operation, or a new one.
    func object(for snapshot: OperationSnapshot) -> DistributedOperation {
        guard let id = snapshot.address.id else { return DistributedOperation() }
        let new: DistributedOperation =
            if let command = snapshot.command {
                CommandOperation(command: command)
            } else if let commands = snapshot.commands {
                GroupOperation(commands: commands)
            } else {
                DistributedOperation()
            }
        let object = registry.object(of: id, where: { _ in true }, orElse: new)
        if object === new {
            new.wasFound(in: queue(snapshot.queue), as: id, snapshot)
        } else {
            object.apply(snapshot)
        }
        return object
    }

    /// The program's objects for operations, in the same order.
    ///
    /// Unknown operations are looked up, and removed operations are left out.
    func objects(for ids: [OperationID]) async throws -> [DistributedOperation] {
        var found: [OperationID: DistributedOperation] = [:]
        var unknown: [JobNumber: [UInt32]] = [:]
        for id in ids {
            if let object = registry.objects(of: id).first {
                found[id] = object
            } else {
                unknown[id.job, default: []].append(id.index)
            }
        }
        for (job, indices) in unknown {
            for snapshot in try await snapshots(of: indices, in: job) {
                if let id = snapshot.address.id { found[id] = object(for: snapshot) }
            }
        }
        return ids.compactMap { found[$0] }
    }

    /// Learns how objects have ended for which a wait has returned.
    func refresh(_ objects: [DistributedOperation]) async throws {
        var wanted: [JobNumber: [UInt32]] = [:]
        for object in objects {
            guard let id = object.status.withLock({ $0.isFinished ? nil : $0.place.id }) else { continue }
            wanted[id.job, default: []].append(id.index)
        }
        for (job, indices) in wanted {
            for snapshot in try await snapshots(of: indices, in: job) {
                guard let id = snapshot.address.id else { continue }
                for object in registry.objects(of: id) { object.apply(snapshot) }
            }
        }
    }

    /// What the coordinator tells of some operations of a job; those that are gone are left out.
    private func snapshots(of indices: [UInt32], in job: JobNumber) async throws -> [OperationSnapshot] {
        var snapshots: [OperationSnapshot] = []
        do {
            guard indices.count > 3 else {
                for index in indices {
                    snapshots.append(try await snapshot(of: OperationID(job: job, index: index)))
                }
                return snapshots
            }
            let wanted = Set(indices)
            var next = indices.min()
            while let from = next {
                let page = try await page(of: job, from: from)
                snapshots += page.operations.filter { wanted.contains(UInt32($0.address.index)) }
                guard let end = page.next else { break }
                next = wanted.filter { $0 >= end }.min()
            }
        } catch let error as ClusterError where error.code == .notFound {
            // The record keeps finished jobs for a limited time.
        }
        return snapshots
    }
}
