@_spi(Baton) import BatonThreads
import Foundation
import Synchronization
import Testing

@Suite("Threads", .timeLimit(.minutes(60)))
struct SystemThreadTests {
    @Test("A join returns after the body, and a second one at once")
    func join() throws {
        let gate = SemaphoreBell()
        let isDone = Atomic(false)
        let thread = try SystemThread(named: "test") {
            gate.wait()
            isDone.store(true, ordering: .sequentiallyConsistent)
        }
        gate.ring()
        thread.join()
        let wasDone = isDone.load(ordering: .sequentiallyConsistent)
        #expect(wasDone)
        thread.join()
    }

    @Test("A thread that joins itself goes on")
    func joinOfItself() throws {
        let own = Mutex<SystemThread?>(nil)
        let isSet = SemaphoreBell()
        let thread = try SystemThread(named: "test") {
            isSet.wait()
            own.withLock { $0 }?.join()
        }
        own.withLock { $0 = thread }
        isSet.ring()
        thread.join()
        own.withLock { $0 = nil }
    }

    @Test("A thread goes on after the release of its object")
    func release() throws {
        let gate = SemaphoreBell()
        let end = SemaphoreBell()
        try SystemThread.detach(named: "test") {
            gate.wait()
            end.ring()
        }
        gate.ring()
        end.wait()
    }

    @Test("A thread blocks all signals, and its creator's mask stays as it was")
    func signals() throws {
        let before = Self.blockedSignals()
        let found = Mutex<[Int32]>([])
        try SystemThread(named: "test") {
            found.withLock { $0 = Self.blockedSignals() }
        }.join()
        let blocked = found.withLock { $0 }
        #expect(Set([SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGCHLD]).isSubset(of: blocked))
        #expect(Self.blockedSignals() == before)
    }

    @Test("A blocking call gives its value or its error to the task")
    func blockingCall() async throws {
        #expect(await onOwnThread(named: "test") { 5 } == 5)
        await #expect(throws: CocoaError.self) {
            try await onOwnThread(named: "test") { () throws(CocoaError) in throw CocoaError(.fileNoSuchFile) }
        }
    }

    private static func blockedSignals() -> [Int32] {
        var set = sigset_t()
        pthread_sigmask(SIG_BLOCK, nil, &set)
        return (1..<32).filter { sigismember(&set, $0) == 1 }
    }
}
