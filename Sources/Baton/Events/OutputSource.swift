import Synchronization
@_spi(Baton) import BatonClient
import Foundation
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWire

/// Follows a stream of a command's output.
actor OutputSource: EventSource {
    /// The time between looks at output that is not complete.
    private static let interval = Duration.milliseconds(50)

    private let operation: CommandOperation
    private let stream: BatonWire.OutputStream
    /// Whether all attempts are read, one after another.
    private let isOfAll: Bool
    private var attempt: UInt32
    private var offset: UInt64 = 0

    init(of operation: CommandOperation, _ stream: BatonWire.OutputStream, attempt: Int?) {
        self.operation = operation
        self.stream = stream
        isOfAll = attempt == nil
        self.attempt = attempt.map { UInt32(clamping: max($0, 1)) } ?? 1
    }

    func next() async throws -> Data? {
        while true {
            let (cluster, id) = try await operation.placeInCluster()
            // An operation that is finished before the look writes no more after it.
            let isFinished = try await operation.refreshed()
            let last = operation.status.withLock(\.attempt)
            if isFinished, attempt > last { return nil }
            if let chunk = try await chunk(of: id, in: cluster, isFinal: isFinished) {
                offset = chunk.offset + UInt64(chunk.bytes.count)
                if !chunk.bytes.isEmpty { return Data(chunk.bytes) }
                if chunk.isComplete || isFinished {
                    guard isOfAll else { return nil }
                    attempt += 1
                    offset = 0
                    continue
                }
            }
            _ = try await cluster.asking { channel throws(ClientError) in
                try await channel.progress(of: [.operation(id)], by: cluster.waiter, atMost: Self.interval)
            }
        }
    }

    /// The next piece; nil for output that is not there yet.
    private func chunk(of id: OperationID, in cluster: Cluster, isFinal: Bool) async throws -> OutputChunk? {
        let (attempt, stream, offset) = (attempt, stream, offset)
        do {
            return try await cluster.asking { channel throws(ClientError) in
                try await channel.log(.operation(id), attempt: attempt, stream, from: offset)
            }
        } catch let error as ClusterError
            where isFinal && isOfAll
            && (error.code == .notFound || error.code == .unavailable && attempt < operation.status.withLock(\.attempt))
        {
            // Numbers of attempts may be skipped (D3), and the output of a lost worker is gone.
            return OutputChunk(offset: offset, bytes: [], totalLength: offset, isComplete: true)
        } catch let error as ClusterError where !isFinal && [.notFound, .unavailable].contains(error.code) {
            return nil
        }
    }
}
