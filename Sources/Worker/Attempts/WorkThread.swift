import Dispatch
import BatonProcesses
import Synchronization

/// A thread that carries out blocks, one after the other.
///
/// It is there from the start: a host that has no room for another thread holds up nobody who hands it a block.
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

    /// Has a block carried out behind all others.
    func async(_ block: @escaping @Sendable () -> Void) {
        blocks.withLock { $0.append(block) }
        arrivals.signal()
    }

    /// Waits until all blocks were carried out, and ends the thread.
    func finish() {
        let end = DispatchSemaphore(value: 0)
        async { end.signal() }
        end.wait()
        isOver.store(true, ordering: .releasing)
        arrivals.signal()
    }
}
