@_spi(Baton) import BatonKeys
@_spi(Baton) import BatonLogging
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonTestSockets
import Foundation
import Glibc
import Testing
@_spi(Baton) import BatonWire
@_spi(Baton) import BatonZeroMQ

@_spi(Baton) @testable import BatonWorker

@Suite("A worker's key", .serialized, .timeLimit(.minutes(60)))
struct KeyTests {
    /// Runs a worker that never gets past its handshake, and checks its error.
    private func check(
        _ obstacle: KeyObstacle,
        _ code: WorkerError.Code,
        keys: KeyedServer?,
        _ security: SocketSecurity
    ) async throws {
        try await withTemporaryDirectory { directory in
            let coordinator = try FakeCoordinator(keys: keys)
            var options = WorkerOptions.forTests(coordinator.endpoint, directory: directory, security: security)
            // Handshakes that break far apart show nothing: then a new connection has to begin again.
            options.patience.welcome = WorkerPatience().welcome
            let worker = try RunningWorker(options)
            try coordinator.admit { worker.hasEnded }
            let error = WorkerError(obstacle, endpoint: coordinator.endpoint)
            #expect(error.code == code)
            #expect(throws: error) { try worker.awaitEnd() }
            coordinator.close()
        }
    }

    @Test("A worker with an admitted key runs operations")
    func admitted() async throws {
        try await withTemporaryDirectory { directory in
            let keys = try KeyedServer()
            let coordinator = try FakeCoordinator(keys: keys)
            let security = try keys.admittedPeer()
            let worker = try RunningWorker(.forTests(coordinator.endpoint, directory: directory, security: security))
            try coordinator.greet()
            #expect(try coordinator.run(script: "echo hi").standardOutput.text == "hi\n")
            worker.stopNow()
            try worker.awaitEnd()
            coordinator.close()
        }
    }

    @Test("A worker with an unknown key ends, because the key is not admitted")
    func unknown() async throws {
        let keys = try KeyedServer()
        try await check(.refused, .keyRefused, keys: keys, try keys.unknownPeer())
    }

    @Test("A worker of a server with another key ends, because the keys do not fit")
    func otherServer() async throws {
        try await check(.mismatch, .keyMismatch, keys: try KeyedServer(), try KeyedServer().unknownPeer())
    }

    @Test("A worker with a key ends, because the server has none")
    func plainServer() async throws {
        try await check(.mismatch, .keyMismatch, keys: nil, try KeyedServer().unknownPeer())
    }

    @Test("A worker without a key ends, because the server requires one", arguments: 0..<10)
    func plainWorker(_: Int) async throws {
        try await check(.missing, .keyMismatch, keys: try KeyedServer(), .none)
    }

    /// Starts a worker that a coordinator welcomes, with a file for its warnings.
    private func welcomedWorker(
        of coordinator: FakeCoordinator,
        _ keys: KeyedServer,
        in directory: String
    ) throws -> (worker: RunningWorker, log: LogFile) {
        let log = try LogFile(directory + "/log")
        var options = WorkerOptions.forTests(
            coordinator.endpoint,
            directory: directory,
            security: try keys.admittedPeer()
        )
        options.logger = Logger(label: "worker", level: .warning, descriptor: log.descriptor)
        let worker = try RunningWorker(options)
        try coordinator.greet()
        return (worker, log)
    }

    @Test(
        "A welcomed worker whose key is refused keeps its attempt, logs it once, and reports when it is admitted again"
    )
    func revoked() async throws {
        try await withTemporaryDirectory { directory in
            let keys = try KeyedServer()
            let first = try FakeCoordinator(keys: keys)
            let (worker, log) = try welcomedWorker(of: first, keys, in: directory)
            let gate = try Gate(directory + "/gate")
            let started = try Gate(directory + "/started")
            let script = "echo >'\(started.path)'; read line <'\(gate.path)'"
            let running = try first.dispatch(.shell(script))
            _ = try started.await()
            first.close()
            keys.areRevoked = true
            let start = ContinuousClock.now
            let second = try FakeCoordinator(at: first.endpoint, keys: keys)
            try second.admit { keys.refusals >= 3 }
            #expect(!worker.hasEnded)
            keys.areRevoked = false
            try gate.open()
            let hello = try second.greet()
            #expect(hello.attempts.map(\.token) == [running.token])
            #expect(try second.end(of: running.token) == .exited(0))
            worker.stopNow()
            try worker.awaitEnd()
            let lines = try log.text().split(separator: "\n").filter { $0.contains("does not admit this key") }
            // The log tells it again after a minute.
            let most = 1 + Int((ContinuousClock.now - start) / WorkerLog.faultInterval)
            #expect((1...most).contains(lines.count))
            second.close()
        }
    }

    @Test("A welcomed worker outlives a coordinator without keys at the address of its own")
    func replaced() async throws {
        try await withTemporaryDirectory { directory in
            let keys = try KeyedServer()
            let first = try FakeCoordinator(keys: keys)
            let (worker, log) = try welcomedWorker(of: first, keys, in: directory)
            first.close()
            let stranger = try FakeCoordinator(at: first.endpoint)
            try stranger.admit { (try? log.text().contains("runs without keys")) ?? false }
            stranger.close()
            let second = try FakeCoordinator(at: first.endpoint, keys: keys)
            try second.greet()
            worker.stopNow()
            try worker.awaitEnd()
            second.close()
        }
    }

    @Test("A worker with a key waits at a proxy whose coordinator is away, because nobody there has another key")
    func closingProxy() async throws {
        try await withTemporaryDirectory { directory in
            let keys = try KeyedServer()
            let log = try LogFile(directory + "/log")
            var proxy: ClosingServer? = try ClosingServer()
            let endpoint = try #require(proxy?.endpoint)
            var options = WorkerOptions.forTests(endpoint, directory: directory, security: try keys.admittedPeer())
            options.patience.welcome = WorkerPatience().welcome
            options.logger = Logger(label: "worker", level: .warning, descriptor: log.descriptor)
            let worker = try RunningWorker(options)
            try log.await("does not answer like a coordinator", of: worker)
            try #require(!worker.hasEnded)
            proxy = nil
            let coordinator = try FakeCoordinator(at: endpoint, keys: keys)
            try coordinator.greet()
            worker.stopNow()
            try worker.awaitEnd()
            coordinator.close()
        }
    }
}
