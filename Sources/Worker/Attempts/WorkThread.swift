@_spi(Baton) import BatonThreads

/// A thread that runs blocks in order.
///
/// The thread exists from the start: a host without room for another thread delays no caller that hands over a block.
final class WorkThread: Sendable {
    private let blocks: Mailbox<@Sendable () -> Void, SemaphoreBell>
    private let thread: SystemThread

    /// Starts the thread, which lives until ``finish()``.
    ///
    /// - Parameter name: the name of the thread, at most 15 bytes.
    init(named name: StaticString) throws(ThreadFailure) {
        let blocks = Mailbox<@Sendable () -> Void, SemaphoreBell>(bell: SemaphoreBell())
        self.blocks = blocks
        thread = try SystemThread(named: name) {
            while true {
                let next = blocks.take(mayThenSleep: true)
                for block in next.elements { block() }
                guard next.elements.isEmpty else { continue }
                if next.isClosed { return }
                blocks.bell.wait()
            }
        }
    }

    /// Runs a block after all earlier blocks; has no effect after ``finish()``.
    func async(_ block: @escaping @Sendable () -> Void) {
        blocks.post(block)
    }

    /// Waits until all blocks have run, and ends the thread.
    func finish() {
        blocks.close()
        thread.join()
    }
}
