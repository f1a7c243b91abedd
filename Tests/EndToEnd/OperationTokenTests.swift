@_spi(Baton) import BatonClient
@_spi(Baton) import BatonCoordinator
import Foundation
@_spi(Baton) import BatonKeys
@_spi(Baton) import BatonLogging
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonStore
@_spi(Baton) import BatonTestSockets
import Testing
@_spi(Baton) import BatonWire
@_spi(Baton) import BatonWorker
@_spi(Baton) import BatonZeroMQ

/// A coordinator with keys, a worker and clients in this process, with real sockets, files and processes.
@Suite("The token of a running operation", .timeLimit(.minutes(60)))
struct OperationTokenTests {
    private let home = FileManager.default.temporaryDirectory.appending(path: "baton-token-\(UUID().uuidString)")
    private let logger = Logger(label: "test", level: .critical)

    private func path(_ name: String) -> String { home.appending(path: name).path }

    /// Starts a coordinator at an address of this test alone.
    ///
    /// The address can stay in use for a moment after its coordinator has ended: a process that another test starts has a copy
    /// of each descriptor until its program begins.
    private func startCoordinator(at address: String) throws -> CoordinatorServer {
        let options = CoordinatorOptions(
            listen: address,
            store: .file(path("baton.db")),
            keys: KeyDirectory(home: home.path),
            version: "test",
            logger: logger
        )
        while true {
            do throws(CoordinatorError) {
                return try CoordinatorServer(options)
            } catch {
                guard error.code == .addressInUse else { throw error }
            }
        }
    }

    private func startWorker(_ endpoint: String) throws -> WorkerProcess {
        let keys = KeyDirectory(home: home.path)
        let key = try KeyLookup(environment: [:], directory: keys).key(for: [.worker], at: nil)
        var options = WorkerOptions(
            coordinator: endpoint,
            name: "w1",
            slots: 1,
            directory: path("worker"),
            version: "test",
            logger: logger
        )
        options.security = try key.credential.security()
        // The control group of the tests belongs to others.
        options.resources.memoryControl = .sampling
        let worker = try WorkerProcess(options)
        Thread.detachNewThread { try? worker.run() }
        return worker
    }

    /// Connects with what a process finds in an environment.
    private func connect(_ environment: [String: String], to endpoint: String) throws -> ClientConnection {
        let elsewhere = KeyDirectory(home: path("another-host"))
        let lookup = KeyLookup(environment: environment, directory: elsewhere)
        let access = try lookup.access(for: [.client, .viewer], at: endpoint)
        #expect(access.key?.source == .operation)
        return try ClientConnection(endpoint: endpoint, options: ClientOptions(version: "test", to: access))
    }

    /// The variables that a process has written to a file.
    private func variables(in file: String) throws -> [String: String] {
        let lines = try String(contentsOfFile: path(file), encoding: .utf8).split(separator: "\n")
        let pairs = lines.compactMap { line in
            line.firstIndex(of: "=").map { (line[..<$0], line[line.index(after: $0)...]) }
        }
        return [String: String](pairs.map { (String($0), String($1)) }, uniquingKeysWith: { first, _ in first })
    }

    @Test("A program in an operation acts by its environment alone, over a restart, until its attempt ends")
    func acts() async throws {
        try FileManager.default.createDirectory(at: home, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: home) }
        var coordinator = try startCoordinator(at: LoopbackAddress.unique())
        let endpoint = coordinator.endpoint
        let worker = try startWorker(endpoint)
        let lookup = KeyLookup(environment: [:], directory: KeyDirectory(home: home.path))
        let options = ClientOptions(version: "test", to: try lookup.access(for: [.client], at: endpoint))
        let client = try ClientConnection(endpoint: endpoint, options: options)
        let gate = try Gate(path("gate"))
        let script = "env >'\(path("environment"))'; \(gate.wait)"
        let submission = Submission(
            queueNames: ["q"],
            templates: [Template(work: Work(.commands([["/bin/sh", "-c", script]])))],
            entries: [Entry()]
        )
        #expect(try await client.request(.submit(submission)) == .job(JobNumber(1), operations: 1, isNew: true))
        try await gate.arrival()
        let environment = try variables(in: "environment")
        #expect(environment["BATON_OPERATION"] == "1/0")

        let operation = try connect(environment, to: endpoint)
        let small = Submission(templates: [Template(work: Work(.noOperation))], entries: [Entry()])
        #expect(try await operation.request(.submit(small)) == .job(JobNumber(2), operations: 1, isNew: true))
        let id = OperationID(job: JobNumber(1), index: 0)
        let progress = Request.reportProgress(id, attempt: 1, OperationProgress(fraction: 0.5))
        while try await operation.request(progress) != .changed(ChangeReport(changed: 1)) {}
        let refused = await #expect(throws: ClientError.self) {
            try await operation.request(.setQueue(QueueChange(name: "q", maxConcurrent: .atMost(1))))
        }
        #expect(refused?.message.contains("Operation 1/0 may not change queues.") == true)

        coordinator.stop()
        try coordinator.run()
        coordinator = try startCoordinator(at: endpoint)
        // The connection of before the restart, and a new one.
        #expect(try await operation.request(.submit(small)) == .job(JobNumber(3), operations: 1, isNew: true))
        let another = try connect(environment, to: endpoint)
        #expect(try await another.request(.submit(small)) == .job(JobNumber(4), operations: 1, isNew: true))

        try await gate.open()
        let wait = Request.wait([.job(JobNumber(1))], queue: nil, atMost: .seconds(60), waiter: nil)
        while case .progress(let progress) = try await client.request(wait), !progress.isFinished {}
        let ended = await #expect(throws: ClientError.self) { try await operation.request(.submit(small)) }
        #expect(ended?.message.contains("Attempt 1 of operation 1/0 has ended") == true)
        worker.stopNow()
        coordinator.stop()
        try coordinator.run()
    }
}
