@_spi(Baton) import BatonKeys
@_spi(Baton) import BatonLogging
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonTestSockets
@_spi(Baton) import BatonThreads
import Synchronization
import Testing
@_spi(Baton) import BatonWire
@_spi(Baton) import BatonZeroMQ

@_spi(Baton) @testable import BatonWorker

@Suite("The name in a worker's address", .serialized, .timeLimit(.minutes(60)))
struct NameTests {
    private func options(_ names: FakeNames, _ directory: String, log: LogFile? = nil) -> WorkerOptions {
        var options = WorkerOptions.forTests(FakeNames.endpoint, directory: directory, slots: 1)
        options.resolver = names.resolver
        if let log { options.logger = Logger(label: "worker", level: .notice, descriptor: log.descriptor) }
        return options
    }

    private func deadEndpoint() throws -> String {
        let coordinator = try FakeCoordinator()
        coordinator.close()
        return coordinator.endpoint
    }

    @Test("A worker reaches its coordinator at the second address of the name if the first one refuses")
    func second() async throws {
        try await withTemporaryDirectory { directory in
            let coordinator = try FakeCoordinator()
            let names = FakeNames([try deadEndpoint(), coordinator.endpoint])
            let worker = try RunningWorker(options(names, directory))
            try coordinator.greet()
            worker.stopNow()
            try worker.awaitEnd()
            coordinator.close()
        }
    }

    @Test("A worker passes over an address whose process answers no hello")
    func deaf() async throws {
        try await withTemporaryDirectory { directory in
            let (deaf, coordinator) = (try FakeCoordinator(), try FakeCoordinator())
            var options = options(FakeNames([deaf.endpoint, coordinator.endpoint]), directory)
            options.patience.welcome = WorkerPatience().welcome
            let worker = try RunningWorker(options)
            try coordinator.greet()
            worker.stopNow()
            try worker.awaitEnd()
            deaf.close()
            coordinator.close()
        }
    }

    @Test("A worker passes over the address of a server with another key")
    func stranger() async throws {
        try await withTemporaryDirectory { directory in
            let keys = try KeyedServer()
            let (stranger, coordinator) = (
                try FakeCoordinator(keys: try KeyedServer()), try FakeCoordinator(keys: keys)
            )
            var options = options(FakeNames([stranger.endpoint, coordinator.endpoint]), directory)
            options.security = try keys.admittedPeer()
            // Handshakes that break far apart show nothing: then a new connection has to begin again.
            options.patience.welcome = WorkerPatience().welcome
            let worker = try RunningWorker(options)
            try coordinator.greet()
            worker.stopNow()
            try worker.awaitEnd()
            stranger.close()
            coordinator.close()
        }
    }

    @Test("A worker of a name with one address ends if the server there has another key")
    func strangerAlone() async throws {
        try await withTemporaryDirectory { directory in
            let stranger = try FakeCoordinator(keys: try KeyedServer())
            var options = options(FakeNames([stranger.endpoint]), directory)
            options.security = try KeyedServer().unknownPeer()
            options.patience.welcome = WorkerPatience().welcome
            let worker = try RunningWorker(options)
            #expect(throws: WorkerError(.mismatch, endpoint: FakeNames.endpoint)) { try worker.awaitEnd() }
            stranger.close()
        }
    }

    @Test("A worker follows a name whose address changes, and its attempts start and end while the resolver blocks")
    func moves() async throws {
        try await withTemporaryDirectory { directory in
            let first = try FakeCoordinator()
            let (asked, release) = (SemaphoreBell(), SemaphoreBell())
            let isBlocking = Atomic(false)
            let names = FakeNames([first.endpoint]) {
                guard isBlocking.load(ordering: .relaxed) else { return }
                asked.ring()
                release.wait()
            }
            let worker = try RunningWorker(options(names, directory))
            try first.greet()
            let gate = try Gate(directory + "/gate")
            let started = try Gate(directory + "/started")
            let running = try first.dispatch(.shell("read line <'\(gate.path)'"))
            let waiting = try first.dispatch(.shell("echo >'\(started.path)'"))
            try first.awaitStart(of: running.token)
            isBlocking.store(true, ordering: .relaxed)
            first.close()
            asked.wait()
            // The only slot goes from one attempt to the next while the resolver blocks.
            try gate.open()
            _ = try started.await()
            isBlocking.store(false, ordering: .relaxed)
            let second = try FakeCoordinator()
            names.addresses = [second.endpoint]
            release.ring()
            let hello = try second.greet()
            #expect(Set(hello.attempts.map(\.token)) == [running.token, waiting.token])
            worker.stopNow()
            try worker.awaitEnd()
            second.close()
        }
    }

    @Test("The log tells once why the coordinator is not reached, and that it answers again", arguments: [true, false])
    func log(isUnknown: Bool) async throws {
        try await withTemporaryDirectory { directory in
            let log = try LogFile(directory + "/log")
            let lookups = SemaphoreBell()
            let names = FakeNames(isUnknown ? [] : [try deadEndpoint()]) { lookups.ring() }
            let start = ContinuousClock.now
            let worker = try RunningWorker(options(names, directory, log: log))
            for _ in 0..<4 { lookups.wait() }
            let coordinator = try FakeCoordinator()
            names.addresses = [coordinator.endpoint]
            try coordinator.greet()
            // The worker has read the welcome before it runs an attempt.
            _ = try coordinator.run(script: "true")
            worker.stopNow()
            try worker.awaitEnd()
            coordinator.close()
            let lines = try log.text().split(separator: "\n")
            let reason = isUnknown ? "the coordinator's host is unknown" : "the coordinator's host refuses"
            let told = lines.count { $0.contains(reason) && $0.contains(FakeNames.endpoint) }
            // The log tells it again after a minute.
            let most = 1 + Int((ContinuousClock.now - start) / AbsenceLog.interval)
            #expect((1...most).contains(told), "\(lines)")
            #expect(lines.count { $0.contains("the coordinator answers again") } == 1, "\(lines)")
        }
    }

    @Test("An absence is told at first, once a minute while it lasts, and at its end")
    func everyMinute() {
        var log = AbsenceLog()
        let told = [0, 1, 59, 60, 61, 119, 120].filter { log.isDue(at: .seconds($0)) }
        #expect(told == [0, 60, 120])
        let ends = [log.end(), log.end()]
        #expect(ends == [true, false])
        let isToldAgain = log.isDue(at: .seconds(121))
        #expect(isToldAgain)
    }

    @Test(
        "Each reason of an absence has its words",
        arguments: [
            (ServerSearch.Finding.unknownHost, "unknown"), (.refused, "refuses"), (.silent, "silent"),
            (.failed("No route to host"), "No route to host"),
        ]
    )
    func words(finding: ServerSearch.Finding, word: String) throws {
        #expect(try #require(CoordinatorAbsence(finding)).line.contains(word))
        #expect(CoordinatorAbsence(.server("tcp://127.0.0.1:1")) == nil)
    }
}
