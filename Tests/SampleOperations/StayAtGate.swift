package import Baton
import Foundation

/// Waits at a gate, a named pipe, until the gate is opened or the operation is cancelled.
package struct StayAtGate: ClusterOperation {
    /// What workers know it by.
    package static let typeName = "stayAtGate"

    /// The pipe's path.
    package var gate: String
    /// Whether the operation stays after the gate is open, until a cancellation.
    package var untilCancelled: Bool

    /// Describes the operation.
    package init(gate: String, untilCancelled: Bool = false) {
        self.gate = gate
        self.untilCancelled = untilCancelled
    }

    /// Waits.
    package func run(in context: OperationContext) async throws -> String {
        await passGate()
        if untilCancelled {
            let (events, source) = AsyncStream<Void>.makeStream()
            for await _ in events {}
            withExtendedLifetime(source) {}
            throw CancellationError()
        }
        return "passed"
    }

    /// A thread of its own waits: those of the tasks are few.
    private func passGate() async {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                if let pipe = FileHandle(forReadingAtPath: gate) { _ = try? pipe.readToEnd() }
                continuation.resume()
            }
        }
    }
}
