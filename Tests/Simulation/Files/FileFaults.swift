@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWire
@_spi(Baton) import BatonZeroMQ

/// What a coordinator believes and sends that has a fault about files.
struct FileFaults {
    /// A message that a faulty coordinator believes to have got.
    struct Belief {
        let bytes: [UInt8]
        let peer: RoutingID
        let host: Int
    }

    private let faults: Set<Fault>
    /// The last connection and session of each worker.
    private var peers: [Int: (peer: RoutingID, session: SessionID)] = [:]
    /// All that a worker has ever kept, for ``Fault/keepLostHolder``.
    private var everHeld: [Int: Set<ContentDigest>] = [:]
    /// The contents of which a copy was asked for, for ``Fault/forgetCopies``.
    private var asked: Set<ContentDigest> = []

    init(_ faults: Set<Fault>) { self.faults = faults }

    /// A worker's message as a faulty coordinator reads it.
    ///
    /// - Parameter life: the coordinator's life.
    mutating func spoiled(_ message: WorkerMessage, from peer: RoutingID, ofHost host: Int, life: Int) -> WorkerMessage
    {
        switch message {
        case .hello(let hello): peers[host] = (peer, hello.session)
        case .filesHeld(let session, _, let isFirst) where faults.contains(.forgetHolders) && life > 1:
            return .filesHeld(session, [], isFirst: isFirst)
        case .filesHeld(let session, let digests, let isFirst) where faults.contains(.keepLostHolder):
            everHeld[host, default: []].formUnion(digests)
            return .filesHeld(session, isFirst ? believed(of: host) : digests, isFirst: isFirst)
        case .filesDropped(let session, _, _) where faults.contains(.keepLostHolder):
            return .filesDropped(session, [])
        case .report(_, let report) where faults.contains(.keepLostHolder):
            everHeld[host, default: []].formUnion(report.completions.flatMap { $0.result.files.map(\.digest) })
        default: break
        }
        return message
    }

    /// What a faulty coordinator believes to have got behind a message.
    func beliefs(behind message: WorkerMessage, from peer: RoutingID, ofHost host: Int) -> [Belief] {
        switch message {
        case .report(let session, let report) where faults.contains(.rerunNeedlessly):
            let digests = report.completions.flatMap { $0.result.files.map(\.digest) }
            guard !digests.isEmpty else { return [] }
            let dropped = WorkerMessage.filesDropped(session, Set(digests).sorted())
            return [Belief(bytes: dropped.encoded(), peer: peer, host: host)]
        case .filesMissing where faults.contains(.keepLostHolder):
            return peers.sorted { $0.key < $1.key }.map { host, place in
                let held = WorkerMessage.filesHeld(place.session, believed(of: host), isFirst: false)
                return Belief(bytes: held.encoded(), peer: place.peer, host: host)
            }
        default: return []
        }
    }

    /// The files of which a faulty coordinator asks for a copy: those of which it has asked for none before.
    mutating func askedOnce(_ files: [KeptFile]) -> [KeptFile] {
        files.filter { asked.insert($0.digest).inserted }
    }

    private func believed(of host: Int) -> [ContentDigest] { everHeld[host, default: []].sorted() }
}
