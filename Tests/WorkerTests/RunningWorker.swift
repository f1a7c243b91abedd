import Foundation
@_spi(Baton) import BatonLogging
@_spi(Baton) import BatonOperations
import Synchronization
import Testing
@_spi(Baton) import BatonWire
@_spi(Baton) import BatonZeroMQ
import Glibc

@_spi(Baton) @testable import BatonWorker

/// A worker on a thread of its own.
final class RunningWorker: Sendable {
    /// Nil after the end of the worker, to release the worker's directory.
    private let worker: Mutex<WorkerProcess?>
    private let ended = DispatchSemaphore(value: 0)
    private let failure = Mutex<WorkerError?>(nil)

    init(_ options: WorkerOptions) throws {
        let worker = try WorkerProcess(options)
        self.worker = Mutex(worker)
        Thread.detachNewThread { [self] in
            do throws(WorkerError) {
                try self.worker.withLock(\.self)?.run()
            } catch {
                failure.withLock { $0 = error }
            }
            self.worker.withLock { $0 = nil }
            ended.signal()
        }
    }

    func stop() { worker.withLock(\.self)?.stop() }
    func stopNow() { worker.withLock(\.self)?.stopNow() }

    /// Whether `run` has returned.
    var hasEnded: Bool { worker.withLock { $0 == nil } }

    /// Waits for the end of `run`, and rethrows its error.
    func awaitEnd() throws {
        guard ended.wait(timeout: .now() + 3600) == .success else { throw Overdue() }
        ended.signal()
        if let failure = failure.withLock({ $0 }) { throw failure }
    }
}

/// The environment of a test of the whole worker.
struct WorkerTest {
    let coordinator: FakeCoordinator
    let worker: RunningWorker
    /// A directory for the test; the worker's directory is `worker` in it.
    let directory: String

    /// Runs the body on a separate thread with a welcomed worker, and stops the worker afterwards.
    ///
    /// The body blocks, and the threads of tasks are few.
    static func run(
        slots: Int = 2,
        types: OperationTypes = OperationTypes(),
        operations: Secret? = nil,
        record: Incarnation = .unknown,
        resources: WorkerResources = WorkerResources(),
        _ body: @escaping @Sendable (WorkerTest) throws -> Void
    ) async throws {
        try await withTemporaryDirectory { directory in
            let coordinator = try FakeCoordinator()
            let worker = try RunningWorker(
                .forTests(coordinator.endpoint, directory: directory, slots: slots, types: types, resources: resources)
            )
            defer {
                worker.stopNow()
                do { try worker.awaitEnd() } catch { Issue.record(error) }
                coordinator.close()
            }
            try coordinator.greet(operations: operations, record: record)
            try body(WorkerTest(coordinator: coordinator, worker: worker, directory: directory))
        }
    }
}

/// Runs the body on a separate thread with a new directory.
func withTemporaryDirectory(_ body: @escaping @Sendable (String) throws -> Void) async throws {
    try await withTaskExecutorPreference(ThreadExecutor()) {
        let path = FileManager.default.temporaryDirectory.path + "/baton-worker-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: path) }
        try body(path)
    }
}

/// Runs each job of a task without suspensions on a separate thread, free to block.
private final class ThreadExecutor: TaskExecutor {
    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        Thread.detachNewThread { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}

extension WorkerOptions {
    static func forTests(
        _ coordinator: String,
        directory: String,
        slots: Int = 2,
        types: OperationTypes = OperationTypes(),
        security: SocketSecurity = .none,
        resources: WorkerResources = WorkerResources()
    ) -> WorkerOptions {
        var options = WorkerOptions(
            coordinator: coordinator,
            name: "w1",
            slots: slots,
            directory: directory + "/worker",
            types: types,
            version: "test",
            logger: Logger(label: "worker", level: .error)
        )
        options.security = security
        options.resources = resources
        // The control group of the tests belongs to others.
        options.resources.memoryControl = .sampling
        // What runs is ended at once, unless a test is about the wait.
        options.drainTimeout = .zero
        // A busy host stops threads for minutes.
        options.patience = WorkerPatience(
            connection: FakeCoordinator.patience,
            welcome: FakeCoordinator.patience,
            acknowledgement: FakeCoordinator.patience,
            goodbye: FakeCoordinator.patience,
            inquiry: FakeCoordinator.patience
        )
        return options
    }
}

/// A named pipe on which a command waits for the test, or the test for a command.
struct Gate {
    let path: String

    init(_ path: String) throws {
        self.path = path
        try #require(mkfifo(path, 0o600) == 0)
    }

    /// Lets a command that reads from the gate go on.
    ///
    /// Has no effect if the command is ended meanwhile.
    func open() throws {
        let descriptor = Glibc.open(path, O_WRONLY | O_CLOEXEC)
        try #require(descriptor >= 0)
        defer { close(descriptor) }
        // The command may end between both calls, and the signal of the broken pipe would end the tests.
        var pipe = sigset_t()
        sigemptyset(&pipe)
        sigaddset(&pipe, SIGPIPE)
        var before = sigset_t()
        pthread_sigmask(SIG_BLOCK, &pipe, &before)
        if write(descriptor, "\n", 1) < 0, errno == EPIPE {
            var none = timespec()
            _ = sigtimedwait(&pipe, nil, &none)
        }
        pthread_sigmask(SIG_SETMASK, &before, nil)
    }

    /// Waits until a command has written a line, and returns the line.
    func await() throws -> String {
        var line: [UInt8] = []
        while true {
            let descriptor = Glibc.open(path, O_RDONLY | O_CLOEXEC)
            try #require(descriptor >= 0)
            defer { close(descriptor) }
            var byte: UInt8 = 0
            while read(descriptor, &byte, 1) == 1 {
                if byte == UInt8(ascii: "\n") { return String(decoding: line, as: UTF8.self) }
                line.append(byte)
            }
            // The end came from an earlier writer, which closed it only now.
        }
    }
}
