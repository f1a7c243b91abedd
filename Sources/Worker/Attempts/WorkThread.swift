import Dispatch
import BatonProcesses
import Synchronization

/// A thread that runs blocks in order.
///
/// The thread exists from the start: a host without room for another thread delays no caller that hands over a block.
final class WorkThread: Sendable {
    private let blocks = Mutex<[@Sendable () -> Void]>([])
    private let arrivals = DispatchSemaphore(value: 0)
    private let isOver = Atomic(false)

    /// Starts the thread, which lives until ``finish()``.
    init() throws(SystemFailure) {
        try startOwnThread { [self] in
            while true {
                arrivals.wait()
                let next = blocks.withLock { blocks in
                    defer { blocks = [] }
                    return blocks
                }
                for block in next { block() }
                if next.isEmpty, isOver.load(ordering: .acquiring) { return }
            }
        }
    }

    /// Runs a block after all earlier blocks.
    func async(_ block: @escaping @Sendable () -> Void) {
        blocks.withLock { $0.append(block) }
        arrivals.signal()
    }

    /// Waits until all blocks have run, and ends the thread.
    func finish() {
        let end = DispatchSemaphore(value: 0)
        async { end.signal() }
        end.wait()
        isOver.store(true, ordering: .releasing)
        arrivals.signal()
    }
}
