@_spi(Baton) import BatonClient
@_spi(Baton) import BatonDocuments
import Foundation
@_spi(Baton) import BatonKeys
@_spi(Baton) import BatonLogging
@_spi(Baton) import BatonOperations
import Testing
@_spi(Baton) import BatonWire
@_spi(Baton) import BatonWorker

/// A real coordinator, which may be killed, with a worker and clients in this process.
@Suite("Calls of Swift operations, and watches of selected events", .timeLimit(.minutes(60)))
struct TypedCallTests {
    private func connect(_ cluster: TestCluster) throws -> ClientConnection {
        var options = ClientOptions(version: "test")
        options.security = try cluster.security(as: .client)
        return try ClientConnection(endpoint: cluster.endpoint, options: options)
    }

    /// Runs a body while a worker of this process runs types of operations, and ends the worker.
    private func withWorker(
        in cluster: TestCluster,
        _ functions: [String: OperationTypes.Function],
        _ body: () async throws -> Void
    ) async throws {
        var types = OperationTypes()
        for (type, function) in functions { try types.register(type, function) }
        var options = WorkerOptions(
            coordinator: cluster.endpoint,
            name: "swift",
            slots: 2,
            directory: cluster.home.appending(path: "swift").path,
            types: types,
            version: "test",
            logger: Logger(label: "worker", level: .error)
        )
        options.security = try cluster.security(as: .worker)
        // The control group of the tests belongs to others.
        options.resources.memoryControl = .sampling
        options.drainTimeout = .zero
        let worker = try WorkerProcess(options)
        let ended = Observed(false)
        Thread.detachNewThread {
            try? worker.run()
            ended.update { $0 = true }
        }
        let result: Result<Void, any Error>
        do {
            result = .success(try await body())
        } catch {
            result = .failure(error)
        }
        worker.stopNow()
        try await ended.wait { $0 }
        try result.get()
    }

    private func events(of page: EventPage) throws -> [EventDocument] {
        try page.lines.split(separator: UInt8(ascii: "\n")).map {
            try JSONDecoder().decode(EventDocument.self, from: Data($0))
        }
    }

    private func typed(_ type: String, _ argument: String = "") -> Template {
        Template(work: Work(.typed(type: type, argument: Array(argument.utf8))))
    }

    @Test("DE20 A Swift operation sees all its dependencies: present and absent results, their types, and other jobs'")
    func inputs() async throws {
        try await withCluster(workers: 0) { cluster in
            let list: OperationTypes.Function = { call in
                let lines = call.inputs.map { input in
                    let result = input.result.map { String(decoding: $0, as: UTF8.self) } ?? "nothing"
                    return "\(input.operation) \(input.name ?? "-") \(input.type ?? "-") \(input.outcome) \(result)"
                }
                return Array(lines.joined(separator: "\n").utf8)
            }
            let functions: [String: OperationTypes.Function] = [
                "echo": { $0.argument }, "silent": { _ in nil }, "refuse": { _ in throw CancellationError() },
                "list": list,
            ]
            try await withWorker(in: cluster, functions) {
                let client = try connect(cluster)
                let command = Template(work: Work(.commands([["/bin/sh", "-c", "printf text > $BATON_RESULT"]])))
                let first = Submission(
                    templates: [typed("echo", "abc"), typed("silent"), command, typed("refuse")],
                    entries: [
                        Entry(name: "echo", template: 0), Entry(template: 1), Entry(name: "command", template: 2),
                        Entry(template: 3),
                    ]
                )
                _ = try await client.submit(first)
                let one = JobNumber(1)
                let second = Submission(
                    templates: [typed("list")],
                    entries: [
                        Entry(
                            dependencies: [
                                Dependency(on: .existing(.operation(OperationID(job: one, index: 1)))),
                                Dependency(on: .existing(.named(one, "echo"))), Dependency(on: .existing(.job(one))),
                                Dependency(on: .entry(1)),
                            ]
                        ),
                        Entry(name: "own", template: 0),
                    ]
                )
                _ = try await client.submit(second)
                let last = OperationID(job: JobNumber(2), index: 0)
                _ = try await client.wait(for: [.operation(last)], every: .seconds(60))
                let result = try #require(try await client.result(of: .operation(last)))
                #expect(
                    String(decoding: result, as: UTF8.self).split(separator: "\n") == [
                        "1/1 - silent succeeded nothing", "1/0 echo echo succeeded abc", "1/2 command - succeeded text",
                        "1/3 - refuse failed nothing", "2/1 own list succeeded nothing",
                    ]
                )

                // An empty log with status 0 told nobody where to look.
                let log = try await cluster.baton("log", "1/0")
                #expect(log.status == 0 && log.output.isEmpty)
                #expect(
                    log.errors
                        == "1/0 is a Swift operation: what it prints is in the output of the program of its worker, swift.\n"
                )
                let list = try await cluster.baton("list", "--columns", "job,name").output
                #expect(list.contains("echo") && list.contains("list"), "\(list)")
            }
        }
    }

    @Test("PG4 WA3 A Swift operation reports progress through its worker, and acts as itself by its token")
    func acts() async throws {
        try await withCluster(workers: 0) { cluster in
            let (gate, opener) = AsyncStream<Void>.makeStream()
            let refusals = Observed<[String]>([])
            let function: OperationTypes.Function = { call in
                call.report(OperationProgress(fraction: 0.25))
                call.report(OperationProgress(fraction: 0.5, message: "half"))
                for await _ in gate { break }
                var options = ClientOptions(version: "test")
                options.operationToken = call.token
                options.security = try Credential.operation(try #require(call.token)).security()
                let client = try ClientConnection(endpoint: call.coordinator, options: options)
                do {
                    _ = try await client.wait(
                        for: [.operation(call.operation)],
                        by: call.operation,
                        every: .seconds(60)
                    )
                } catch let error as ClientError {
                    refusals.update { $0.append("\(error)") }
                }
                return Array("\(try await client.submit(.oneNoOperation).number)".utf8)
            }
            try await withWorker(in: cluster, ["talk": function]) {
                let client = try connect(cluster)
                _ = try await client.submit(Submission(templates: [typed("talk")], entries: [Entry()]))
                let id = OperationID(job: JobNumber(1), index: 0)
                var since: UInt64 = 0
                var told: EventDocument?
                while told?.message != "half" {
                    let selection = EventSelection(operations: [id])
                    let page = try await client.events(since: since, atMost: .seconds(60), of: selection)
                    told = try events(of: page).last { $0.progress != nil } ?? told
                    since = page.last
                }
                #expect(told?.progress == 0.5)
                opener.yield()
                _ = try await client.wait(for: [.operation(id)], every: .seconds(60))
                #expect(try await client.result(of: .operation(id)) == Array("2".utf8))
                #expect(
                    refusals.value.count == 1 && refusals.value[0].contains("would wait for itself"),
                    "\(refusals.value)"
                )
            }
        }
    }

    @Test(
        "OB10 A watcher of its own job and queue misses nothing and gets nothing twice while the coordinator is killed"
    )
    func watch() async throws {
        try await withCluster(workers: 1, slots: 2) { cluster in
            let selection = EventSelection(jobs: [JobNumber(1)], queues: ["mine"])
            let client = try connect(cluster)
            let watcher = Task {
                var told: [EventDocument] = []
                var since: UInt64 = 0
                while !told.contains(where: { $0.job == JobNumber(1) && $0.state == "finished" }) {
                    let page = try await client.events(since: since, limit: 3, atMost: .seconds(60), of: selection)
                    #expect(page.missed == 0)
                    told += try events(of: page)
                    since = page.last
                }
                return (told, since)
            }
            let gates = [try cluster.gate(), try cluster.gate()]
            let own = try await cluster.submit(
                graph: """
                    { queue: "mine", operations: [
                      { name: "a", command: "\(gates[0].wait)" }, { name: "b", command: "\(gates[1].wait)", after: ["a"] },
                      { name: "c", command: "true", after: ["b"] } ] }
                    """
            )
            try #require(own == "1")
            for gate in gates {
                let others = try await cluster.submit("--array", "1-100", "--queue", "theirs", "--", "true")
                #expect(try await cluster.wait(others) == 0)
                try await gate.arrival()
                try await cluster.restartCoordinator(with: SIGKILL)
                try await gate.open()
            }
            #expect(try await cluster.wait(own) == 0)
            let (told, last) = try await watcher.value
            var all: [EventDocument] = []
            var since: UInt64 = 0
            while since < last {
                let page = try await client.events(since: since, atMost: .zero)
                all += try events(of: page)
                since = page.last
            }
            let meant = all.filter { event in
                event.seq <= last
                    && (event.job == JobNumber(1) || event.operation?.job == JobNumber(1) || event.queue == "mine")
            }
            #expect(told == meant)
            #expect(all.count > 300)
        }
    }
}

extension Submission {
    /// A job of a single operation that does nothing.
    fileprivate static var oneNoOperation: Submission {
        Submission(templates: [Template(work: Work(.noOperation))], entries: [Entry()])
    }
}
