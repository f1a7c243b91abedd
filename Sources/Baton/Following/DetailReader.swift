@_spi(Baton) import BatonClient
@_spi(Baton) import BatonOperations
import Synchronization
@_spi(Baton) import BatonWire

/// Reads documents of operations whose events do not tell enough, and passes them on to the objects.
///
/// The coordinator gets one request a job at a time; many operations of one job come in pages.
final class DetailReader: Sendable {
    /// The number of operations from which on a page is asked for.
    private static let fewest = 4

    private struct State {
        var wanted: [JobNumber: Set<UInt32>] = [:]
        /// What a request under way is about; what is wanted again meanwhile needs another one, since the answer may be older.
        var asked: [JobNumber: Set<UInt32>] = [:]
    }

    private let channel: any RequestChannel
    private let registry: OperationRegistry
    private let state = Mutex(State())

    init(on channel: any RequestChannel, registry: OperationRegistry) {
        self.channel = channel
        self.registry = registry
    }

    /// Reads the document of an operation.
    func read(_ id: OperationID) {
        state.withLock { _ = $0.wanted[id.job, default: []].insert(id.index) }
        ask(id.job)
    }

    /// Reads the documents of all unfinished objects of members.
    func read(_ members: Set<FollowedMember>) {
        for member in members {
            switch member {
            case .operation(let id): read(id)
            case .job(let job):
                let indices = registry.objects(of: job).filter { !$0.operation.status.withLock(\.isFinished) }.map(
                    \.index
                )
                state.withLock { $0.wanted[job, default: []].formUnion(indices) }
                ask(job)
            case .queue: break
            }
        }
    }

    private func ask(_ job: JobNumber) {
        let first = state.withLock { state -> (index: UInt32, isOne: Bool)? in
            guard state.asked[job] == nil, let wanted = state.wanted.removeValue(forKey: job), let first = wanted.min()
            else {
                return nil
            }
            state.asked[job] = wanted
            return (first, wanted.count < Self.fewest)
        }
        guard let first else { return }
        let id = OperationID(job: job, index: first.index)
        let request: DocumentRequest =
            first.isOne
            ? .operation(.operation(id)) : .job(job, from: first.index, limit: JobSnapshot.pageLength)
        channel.send(.document(request), timeout: nil) { result in
            self.receive(Self.snapshots(result, isOne: first.isOne), id)
        }
    }

    private static func snapshots(
        _ result: Result<Reply, ClientError>,
        isOne: Bool
    ) -> Result<[OperationSnapshot], ClusterError> {
        do throws(ClusterError) {
            switch result {
            case .success(.document(let bytes)):
                return .success(isOne ? [try OperationSnapshot(bytes)] : try JobSnapshot(bytes).operations)
            case .success(.refused(let refusal)): return .failure(ClusterError(refusal))
            case .success: return .failure(.wrongReply)
            case .failure(let error): return .failure(ClusterError(error))
            }
        } catch {
            return .failure(error)
        }
    }

    private func receive(_ result: Result<[OperationSnapshot], ClusterError>, _ first: OperationID) {
        switch result {
        case .success(let snapshots):
            for snapshot in snapshots {
                guard let id = snapshot.address.id else { continue }
                for object in registry.objects(of: id) { object.apply(snapshot) }
            }
            state.withLock { state in
                var rest = state.asked.removeValue(forKey: first.job) ?? []
                rest.remove(first.index)
                rest.subtract(snapshots.compactMap { $0.address.id?.index })
                if !rest.isEmpty { state.wanted[first.job, default: []].formUnion(rest) }
            }
            ask(first.job)
        case .failure(let error):
            let lost = state.withLock { state in
                let asked = state.asked.removeValue(forKey: first.job) ?? []
                return asked.union(state.wanted.removeValue(forKey: first.job) ?? [])
            }
            for index in lost {
                for object in registry.objects(of: OperationID(job: first.job, index: index)) { object.endWaits(error) }
            }
        }
    }
}
