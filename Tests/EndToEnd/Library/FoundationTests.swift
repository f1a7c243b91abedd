#if os(Linux)
    import Foundation
    import Synchronization
    import Testing

    /// What the manual says of Foundation on Linux, where it departs from its documentation or from Baton.
    ///
    /// A test that fails with another version of Swift shows a sentence of Contract or FromOperationQueue that has become wrong.
    /// Behaviour that never ends stands in the manual, and has no test.
    @Suite("What the manual says of Foundation on Linux", .timeLimit(.minutes(60)))
    struct FoundationTests {
        /// The words that operations leave, in order.
        private final class Notes: Sendable {
            private let words = Mutex<[String]>([])

            func add(_ word: String) { words.withLock { $0.append(word) } }

            var all: [String] { words.withLock { $0 } }
        }

        /// The order in which operations of some classes start, one after another but for the limit.
        private static func order(limit: Int, settingPriority: Bool) -> [String] {
            let classes: [(String, QualityOfService)] = [
                ("background", .background), ("utility", .utility), ("interactive", .userInteractive),
            ]
            let notes = Notes()
            let queue = OperationQueue()
            queue.maxConcurrentOperationCount = limit
            queue.isSuspended = true
            for (name, quality) in classes {
                let operation = BlockOperation { notes.add(name) }
                operation.qualityOfService = quality
                if settingPriority { operation.queuePriority = .normal }
                queue.addOperation(operation)
                notes.add("\(operation.queuePriority.rawValue)")
            }
            queue.isSuspended = false
            queue.waitUntilAllOperationsAreFinished()
            return notes.all
        }

        @Test(
            "QO4 The class leaves the priority at 0, and a limit of 1 or a priority that was set keeps the order of addition"
        )
        func classes() {
            let added = ["0", "0", "0", "background", "utility", "interactive"]
            #expect(Self.order(limit: 1, settingPriority: false) == added)
            #expect(Self.order(limit: 1, settingPriority: true) == added)
        }

        @Test("DE13 An operation is not ready after the removal of its only dependency, until it is cancelled")
        func removal() {
            let (first, second) = (BlockOperation {}, BlockOperation {})
            second.addDependency(first)
            second.removeDependency(first)
            #expect(second.dependencies.isEmpty && !second.isReady)
            first.start()
            #expect(first.isFinished && !second.isReady)
            second.cancel()
            #expect(second.isReady)
        }

        @Test("The blocks of an operation run one after another")
        func blocks() {
            let notes = Notes()
            let operation = BlockOperation()
            for name in ["a", "b", "c"] {
                operation.addExecutionBlock {
                    notes.add("\(name) begins")
                    sched_yield()
                    notes.add("\(name) ends")
                }
            }
            operation.start()
            #expect(notes.all == ["a", "b", "c"].flatMap { ["\($0) begins", "\($0) ends"] })
        }

        @Test("A barrier starts at once in a suspended queue that is empty")
        func barrier() {
            let queue = OperationQueue()
            queue.isSuspended = true
            let started = DispatchSemaphore(value: 0)
            queue.addBarrierBlock { started.signal() }
            #expect(started.wait(timeout: .now() + 3600) == .success)
        }
    }
#endif
