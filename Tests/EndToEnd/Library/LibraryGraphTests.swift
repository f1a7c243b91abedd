import Baton
import Foundation
import Testing

@Suite("The library: graphs, additions and results", .timeLimit(.minutes(60)))
struct LibraryGraphTests {
    @Test("QU4 A graph over several queues is one job, all or nothing")
    func graph() async throws {
        try await withCluster(workers: 1, slots: 2) { cluster in
            let client = try cluster.client()
            let (main, side) = (client.queue("main"), client.queue("side"))
            let fetch = CommandOperation(shell: cluster.note("fetch")).named("fetch")
            let isLong = true
            func graph() async throws -> Job {
                try await main.addOperations(name: "graph") {
                    fetch
                    for number in 0..<2 {
                        CommandOperation(shell: cluster.note("part")).needs(fetch).named("part\(number)").on(side)
                    }
                    if isLong {
                        CommandOperation(shell: cluster.note("never")).onFailure(of: fetch).named("mend")
                    } else {
                        CommandOperation("false")
                    }
                    [DistributedOperation().named("end").priority(.low)]
                }
            }
            let job = try await graph()
            #expect(job.name == "graph" && job.isNew)
            #expect(try await job.waitUntilFinished() == .succeeded)
            let operations = try await job.operations
            #expect(operations.map(\.name) == ["fetch", "part0", "part1", "mend", "end"])
            #expect(operations.map { $0.queue?.name } == ["main", "side", "side", "main", "main"])
            #expect(operations.map(\.outcome) == [.succeeded, .succeeded, .succeeded, .skipped, .succeeded])
            #expect(cluster.notes == ["fetch", "part", "part"])
            // The first object was added before, and so nothing of the second graph is.
            let error = await #expect(throws: ClusterError.self) { try await graph() }
            #expect(error?.code == .alreadyAdded)
            // A graph with a bad operation in another queue leaves nothing in any.
            let fine = CommandOperation(shell: cluster.note("never"))
            let unknown = CommandOperation("true").on(side)
            unknown.addDependency(onJob: 4711)
            let refusal = await #expect(throws: ClusterError.self) {
                try await main.addOperations {
                    fine
                    unknown
                }
            }
            #expect(refusal?.code == .unknownDependency && fine.queue == nil && unknown.queue == nil)
            #expect(try await main.status().operationCount == 0)
            #expect(try await side.status().operationCount == 0)
            // An addition without operations has no effect.
            let empty = try await main.addOperations {}
            #expect(try await empty.waitUntilFinished() == .succeeded)
            #expect(try await empty.operations.isEmpty)
            await #expect(throws: ClusterError.self) { try await client.job(job.number + 1) }
        }
    }

    @Test("D16 A graph that no worker present can ever take is refused on request, and its objects can be added again")
    func unplaceable() async throws {
        try await withCluster { cluster in
            let queue = try cluster.client().queue("q")
            let big = CommandOperation("true", options: OperationOptions(cpus: 512))
            let error = await #expect(throws: ClusterError.self) {
                try await queue.addOperations(rejectUnplaceable: true) { big }
            }
            #expect(error?.code == .unplaceable && big.queue == nil)
            let job = try await queue.addOperations { big }
            try await job.cancel()
            #expect(try await job.waitUntilFinished() == .cancelled)
        }
    }

    @Test("CA3 L6 What is cancelled, finished or executing does not mind a dependency that is added later")
    func lateDependencies() async throws {
        try await withCluster(workers: 1, slots: 2) { cluster in
            let client = try cluster.client()
            let queue = client.queue()
            // Cancelled while it waits for an addition.
            let (waiting, absent) = (CommandOperation(shell: cluster.note("never")), CommandOperation("true"))
            waiting.addDependency(absent)
            try await queue.addOperation(waiting)
            try await waiting.cancel()
            #expect(try await waiting.waitUntilFinished() == .cancelled)
            try await queue.addOperation(absent)
            #expect(try await absent.waitUntilFinished() == .succeeded)
            try await client.flush()
            // Finished (DE15).
            let (finished, later) = (CommandOperation("true"), CommandOperation("true"))
            try await queue.addOperation(finished)
            try await finished.waitUntilFinished()
            finished.addDependency(later)
            try await client.flush()
            #expect(finished.isFinished && finished.dependencies == [later])
            try await queue.addOperation(later)
            #expect(try await later.waitUntilFinished() == .succeeded)
            finished.removeDependency(later)
            try await client.flush()
            // Executing (DE15).
            let gate = try cluster.gate()
            let (executing, last) = (CommandOperation(shell: gate.wait), CommandOperation("true"))
            try await queue.addOperation(executing)
            try await gate.arrival()
            executing.addDependency(last)
            try await client.flush()
            #expect(executing.isExecuting || !executing.isFinished)
            try await gate.open()
            #expect(try await executing.waitUntilFinished() == .succeeded)
            #expect(executing.attempt == 1)
            try await queue.addOperation(last)
            try await last.waitUntilFinished()
            try await client.flush()
            #expect(cluster.notes.isEmpty)
        }
    }

    @Test("D13 L5 A key is the cluster's: a second program gets the first one's job, and its objects the operations")
    func keys() async throws {
        try await withCluster(workers: 1) { cluster in
            func submit(_ words: [String], by client: Cluster) async throws -> (job: Job, objects: [CommandOperation]) {
                let objects = words.map { CommandOperation(shell: cluster.note($0)) }
                for (earlier, later) in zip(objects, objects.dropFirst()) { later.addDependency(earlier) }
                return (try await client.queue("keyed").addOperations(key: "once") { objects }, objects)
            }
            let (client, other) = (try cluster.client(), try cluster.client())
            let first = try await submit(["a", "b"], by: client)
            let second = try await submit(["a", "b"], by: other)
            #expect(first.job.isNew && !second.job.isNew && first.job.number == second.job.number)
            #expect(second.objects.map(\.address) == first.objects.map(\.address))
            let conflict = await #expect(throws: ClusterError.self) { try await submit(["a", "c"], by: other) }
            #expect(conflict?.code == .keyConflict)
            #expect(try await second.job.waitUntilFinished() == .succeeded)
            #expect(second.objects.allSatisfy { $0.outcome == .succeeded && $0.exitStatus == 0 })
            #expect(try await first.objects[1].waitUntilFinished() == .succeeded)
            try await cluster.restartCoordinator(with: SIGKILL)
            let third = try await submit(["a", "b"], by: other)
            #expect(!third.job.isNew && third.objects.map(\.address) == first.objects.map(\.address))
            #expect(try await third.objects[0].waitUntilFinished() == .succeeded)
            #expect(cluster.notes == ["a", "b"])
        }
    }

    @Test("D11 A retry is of what failed, on request of what was cancelled, and with or without the dependents")
    func retries() async throws {
        try await withCluster(workers: 1) { cluster in
            let client = try cluster.client()
            let queue = client.queue()
            let gate = try cluster.gate()
            let running = CommandOperation(shell: gate.wait)
            let unfinished = try await queue.addOperations([running])
            let early = await #expect(throws: ClusterError.self) { try await unfinished.retry() }
            #expect(early?.code == .invalid)
            let bad = CommandOperation(shell: "test -e '\(cluster.home.path)/mended'").named("bad")
            let dependent = CommandOperation(shell: cluster.note("dependent")).after(bad).named("dependent")
            let cancelled = CommandOperation(shell: cluster.note("cancelled")).named("cancelled")
            try await cancelled.cancel()
            let job = try await queue.addOperations([bad, dependent, cancelled, CommandOperation("true").named("good")])
            try await gate.open()
            #expect(try await unfinished.waitUntilFinished() == .succeeded)
            let none = await #expect(throws: ClusterError.self) { try await unfinished.retry() }
            #expect(none?.code == .invalid)
            #expect(try await job.waitUntilFinished() == .failed)
            func names(_ job: Job) async throws -> [String?] { try await job.operations.map(\.name) }
            try cluster.write("", to: "mended")
            let alone = try await job.retry(dependents: false, key: "again")
            #expect(try await names(alone) == ["bad"])
            #expect(alone.isNew)
            let same = try await job.retry(dependents: false, key: "again")
            #expect(same.number == alone.number && !same.isNew)
            #expect(try await alone.waitUntilFinished() == .succeeded)
            let second = await #expect(throws: ClusterError.self) { try await job.retry() }
            #expect(second?.code == .retried)
            let all = try await job.retry(cancelled: true, again: true)
            #expect(try await names(all) == ["bad", "dependent", "cancelled"])
            #expect(try await all.waitUntilFinished() == .succeeded)
            let address = try #require(cancelled.address)
            let chosen = try await job.retry([address], cancelled: true, again: true)
            #expect(try await names(chosen) == ["cancelled"])
            #expect(try await chosen.waitUntilFinished() == .succeeded)
            #expect(try await job.retriedAs == [alone.number, all.number, chosen.number])
            #expect(try await chosen.retryOf == job.number)
            #expect(try await job.retryOf == nil)
            #expect(cluster.notes == ["dependent", "dependent", "cancelled", "cancelled"])
        }
    }

    @Test("A command has its environment, directory and input; its output is that of each attempt")
    func commands() async throws {
        try await withCluster(workers: 1) { cluster in
            let queue = try cluster.client().queue()
            let input = try cluster.write("from the file\n", to: "input")
            let command = CommandOperation(
                command: [
                    "sh", "-c", "cat; echo \"$WORD\"; pwd; echo \"$BATON_ATTEMPT\"; test \"$BATON_ATTEMPT\" = 2",
                ],
                environment: ["WORD": "a word"],
                directory: cluster.home.path,
                standardInput: input,
                options: OperationOptions(retries: 1, retryDelay: .zero)
            )
            try await queue.addOperation(command)
            func read(_ attempt: Int?) async throws -> String {
                var output = Data()
                for try await piece in command.output(attempt: attempt) { output += piece }
                return String(decoding: output, as: UTF8.self)
            }
            let all = try await read(nil)
            #expect(try await command.waitUntilFinished() == .succeeded)
            #expect((command.attempt, command.exitStatus) == (2, 0))
            let lines = "from the file\na word\n\(cluster.home.path)\n"
            #expect(all == "\(lines)1\n\(lines)2\n")
            #expect(try await read(1) == "\(lines)1\n")
            #expect(try await read(2) == "\(lines)2\n")
            #expect(try await command.data == nil)
            #expect(try await read(3).isEmpty, "there is no third attempt")
        }
    }

    @Test("BL4 A value is there after a success alone: before the end it is absent, and otherwise the reason is thrown")
    func values() async throws {
        try await withCluster(workers: 0) { cluster in
            try await cluster.withSwiftWorker {
                let client = try cluster.client()
                let queue = client.queue()
                try await queue.suspend()
                let square = RemoteOperation(Square(number: 3))
                let cancelled = RemoteOperation(Square(number: 4))
                let failing = RemoteOperation(WaitFor(address: OperationAddress(job: 999, index: 0)))
                let skipped = RemoteOperation(SumOfSquares()).needs(cancelled)
                let absences = RemoteOperation(Absences()).after(square, cancelled, failing)
                let notAdded = RemoteOperation(Square(number: 5))
                try await queue.addOperations([square, cancelled, failing, skipped, absences])
                #expect(try await square.result == nil)
                #expect(try await square.data == nil)
                let missing = await #expect(throws: ClusterError.self) { try await notAdded.value }
                #expect(missing?.code == .notAdded)
                try await cancelled.cancel()
                try await queue.resume()
                #expect(try await square.value == 9)
                #expect(try await square.result == 9)
                func reason<Work>(_ operation: RemoteOperation<Work>) async -> OperationError? {
                    await #expect(throws: OperationError.self) { _ = try await operation.value }
                }
                let end = await reason(cancelled)
                #expect((end?.code, end?.outcome, end?.address) == (.cancelled, .cancelled, cancelled.address))
                let failure = await reason(failing)
                #expect((failure?.code, failure?.outcome, failure?.attempt) == (.error, .failed, 1))
                let skip = await reason(skipped)
                #expect((skip?.code, skip?.outcome) == (.dependency, .skipped))
                #expect(try await cancelled.data == nil)
                #expect(try await failing.data == nil)
                // In the order of the dependencies, those without a result too (DE20), and with the queue (QU12).
                #expect(try await absences.value == ["default", "succeeded 9", "cancelled", "failed"])

                // A refused addition has no value, and says why.
                let refused = RemoteOperation(Square(number: 6))
                refused.addDependency(onJob: 4711)
                try await blockingly { try queue.addOperation(refused) }
                await #expect(throws: ClusterError.self) { try await client.flush() }
                #expect(await reason(refused)?.code == .refused)
                let absent = await #expect(throws: OperationError.self) { try await refused.result }
                #expect(absent?.code == .refused)
            }
        }
    }
}
