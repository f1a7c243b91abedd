import Baton
import Foundation
import Testing

@Suite("The library, on a real coordinator and workers", .timeLimit(.minutes(60)))
struct LibraryTests {
    @Test("DE5 DE7 DE9 Dependencies cross queues, programs and jobs, by object, address and number")
    func dependencies() async throws {
        try await withCluster(workers: 1, slots: 2) { cluster in
            let (first, second) = (try cluster.client(), try cluster.client())
            let gate = try cluster.gate()
            let begin = CommandOperation(shell: "\(gate.wait); \(cluster.note("begin"))")
            try await first.queue("a").addOperation(begin)
            let address = try #require(begin.address)

            let byObject = CommandOperation(shell: cluster.note("object")).after(begin)
            try await first.queue("b").addOperation(byObject)
            let byAddress = CommandOperation(shell: cluster.note("address"))
            byAddress.addDependency(on: address, requiring: .success)
            byAddress.addDependency(byObject)
            try await second.queue("a").addOperation(byAddress)
            let byJob = CommandOperation(shell: cluster.note("job"))
            byJob.addDependency(onJob: try #require(byAddress.address).job, requiring: .success)
            let onFailure = CommandOperation(shell: cluster.note("failure"))
            onFailure.addDependency(on: address, requiring: .failure)
            try await second.queue("c").addOperation(byJob)
            try await second.queue("c").addOperation(onFailure)
            #expect(byJob.operationState == .pending && !byJob.isReady)
            #expect(byObject.dependencies == [begin])

            try await gate.open()
            #expect(try await byJob.waitUntilFinished() == .succeeded)
            #expect(try await onFailure.waitUntilFinished() == .skipped)
            #expect(onFailure.error?.code == .notNeeded)
            #expect(cluster.notes == ["begin", "object", "address", "job"])
        }
    }

    @Test("BL4 DE20 Results are typed, from operation to operation and to the program")
    func results() async throws {
        try await withCluster(workers: 0) { cluster in
            try await cluster.withSwiftWorker {
                let queue = try cluster.client().queue("squares")
                let squares = (1...10).map { RemoteOperation(Square(number: $0)).named("square\($0)") }
                let sum = RemoteOperation(SumOfSquares())
                for square in squares { sum.addDependency(square, requiring: .success) }
                let job = try await queue.addOperations(name: "sums") {
                    squares
                    sum
                }
                #expect(try await sum.value == 385)
                #expect(try await job.waitUntilFinished() == .succeeded)
                #expect(squares.allSatisfy { $0.isFinished && $0.outcome == .succeeded && $0.attempt == 1 })
                #expect(try await job.counts.succeeded == 11)
                #expect(try await job.outcome == .succeeded)
                #expect(try await job.operation(named: "square3") === squares[2])
                #expect(try await String(decoding: sum.data ?? Data(), as: UTF8.self) == "385")
                #expect(sum.worker == "swift")

                // An operation may add operations, and wait for them.
                let added = try await queue.addOperation(AddSquares(count: 5))
                #expect(try await added.value == 30)
            }
        }
    }

    @Test("BL1 BL2 A group runs its commands at once, and takes another until it starts")
    func groups() async throws {
        try await withCluster(workers: 1) { cluster in
            let queue = try cluster.client().queue()
            try await queue.suspend()
            let (left, right) = (try cluster.gate(), try cluster.gate())
            let group = GroupOperation(commands: [["sh", "-c", left.wait]])
            try group.addCommand(["sh", "-c", right.wait])
            try await queue.addOperation(group)
            try group.addCommand(["sh", "-c", cluster.note("third")])
            #expect(group.commands.count == 3)
            try await queue.resume()
            // Both are there before either goes on.
            try await left.arrival()
            try await right.arrival()
            while !group.isExecuting { await Task.yield() }
            let refusal = #expect(throws: ClusterError.self) { try group.addCommand(["true"]) }
            #expect(refusal?.code == .invalid)
            try await left.open()
            try await right.open()
            #expect(try await group.waitUntilFinished() == .succeeded)
            #expect(cluster.notes == ["third"])
        }
    }

    @Test("RT6 RT7 An executing operation is paused, continued and sent a signal")
    func pause() async throws {
        try await withCluster(workers: 1) { cluster in
            let gate = try cluster.gate()
            let operation = CommandOperation(shell: "trap 'exit 3' USR1; \(gate.checkIn); \(Gate.awaitSignal)")
            #expect(try await !operation.pause())
            try await cluster.client().queue().addOperation(operation)
            try await gate.open()
            #expect(try await operation.pause())
            #expect(try await !operation.pause())
            #expect(try await operation.send(signal: "USR1"))
            #expect(try await operation.resume())
            #expect(try await operation.waitUntilFinished() == .failed)
            #expect(operation.exitStatus == 3)
            #expect(try await !operation.resume())
            let error = await #expect(throws: ClusterError.self) { try await operation.send(signal: "STOP") }
            #expect(error?.code == .invalid)
        }
    }

    @Test("CA4 CA16 ST8 The ends of commands are told: exit, signal, timeout, launch, cancellation")
    func ends() async throws {
        try await withCluster(workers: 1, slots: 4) { cluster in
            let queue = try cluster.client().queue()
            let gate = try cluster.gate()
            let exit = CommandOperation(shell: "exit 3")
            let signal = CommandOperation(shell: "kill -9 $$")
            let timeout = CommandOperation(
                command: ["sleep", "1000"],
                options: OperationOptions(timeout: .milliseconds(100))
            )
            let launch = CommandOperation("/no/such/program")
            let cancelled = CommandOperation(
                command: ["/bin/sh", "-c", "trap 'exit 7' TERM; \(gate.checkIn); \(Gate.awaitSignal)"],
                gracePeriod: nil
            )
            let refused = CommandOperation("true").needs(exit)
            try await queue.addOperations([exit, signal, timeout, launch, cancelled, refused])
            try await gate.arrival()
            try await cancelled.cancel()
            for operation in [exit, signal, timeout, launch, cancelled, refused] {
                #expect(try await operation.waitUntilFinished() != .succeeded)
                #expect(operation.error?.address == operation.address)
            }
            #expect((exit.error?.code, exit.exitStatus) == (.exit, 3))
            #expect((signal.error?.code, signal.terminationSignal) == (.signal, 9))
            #expect(timeout.error?.code == .timeout)
            #expect((launch.error?.code, launch.error?.attempt) == (.launch, 1))
            #expect((cancelled.outcome, cancelled.exitStatus, cancelled.isCancelled) == (.cancelled, 7, true))
            #expect((refused.outcome, refused.error?.code) == (.skipped, .dependency))
        }
    }

    @Test("WA8 L11 A wait goes on through the death of the coordinator, and so does the order of changes")
    func restart() async throws {
        try await withCluster(workers: 1) { cluster in
            let client = try cluster.client()
            let queue = client.queue()
            let gate = try cluster.gate()
            let operation = CommandOperation(shell: gate.wait)
            try await queue.addOperation(operation)
            try await gate.arrival()
            let wait = Task { try await operation.waitUntilFinished() }
            let seen = Observed<[OperationChange]>([])
            let changes = Task {
                for try await change in operation.stateChanges { seen.update { $0.append(change) } }
            }
            let executing = OperationChange.state(.executing, outcome: nil, attempt: 1, worker: "w1")
            try await seen.wait { $0.contains(executing) }
            let all = Task {
                var states: [OperationState] = []
                for try await event in client.events(since: 0) {
                    guard case .operation(let address, _, .state(let state, _, _, _)) = event.kind else { continue }
                    #expect(address == operation.address)
                    states.append(state)
                    if state == .finished { break }
                }
                return states
            }
            try await cluster.restartCoordinator(with: SIGKILL)
            // What is asked while nobody answers is done as well.
            let later = CommandOperation("true").after(operation)
            try await queue.addOperation(later)
            try await gate.open()
            #expect(try await wait.value == .succeeded)
            #expect(try await later.waitUntilFinished() == .succeeded)
            #expect(operation.attempt == 1)
            let finished = OperationChange.state(.finished, outcome: .succeeded, attempt: 1, worker: "w1")
            try await changes.value
            #expect(seen.value.suffix(2) == [executing, finished], "\(seen.value)")
            #expect(try await all.value == [.ready, .executing, .finished])
        }
    }

    @Test("QU14 D2 A client that ends changes nothing, and another one finds what it left")
    func clientsEnd() async throws {
        try await withCluster(workers: 1) { cluster in
            let gate = try cluster.gate()
            let job: Int
            let address: OperationAddress
            do {
                let client = try cluster.client()
                let operations = [
                    CommandOperation(shell: "\(gate.wait); echo out; echo err >&2").named("first"),
                    CommandOperation(shell: cluster.note("second")).named("second"),
                ]
                operations[1].addDependency(operations[0])
                let submitted = try await client.queue("left").addOperations(operations)
                job = submitted.number
                address = try #require(operations[0].address)
                try await client.close()
                let refusal = await #expect(throws: ClusterError.self) {
                    try await client.queue().addOperation(CommandOperation("true"))
                }
                #expect(refusal?.code == .closed)
                try await client.close()
            }
            let client = try cluster.client()
            let found = try #require(try await client.operation(address) as? CommandOperation)
            #expect(found.name == "first" && found.queue === client.queue("left") && !found.isFinished)
            #expect(try await client.operation(address) === found)
            try await gate.open()
            var output = Data()
            for try await piece in found.output() { output += piece }
            var errors = Data()
            for try await piece in found.output(.error, attempt: 1) { errors += piece }
            #expect(
                (String(decoding: output, as: UTF8.self), String(decoding: errors, as: UTF8.self)) == ("out\n", "err\n")
            )
            let attached = try await client.job(job)
            #expect(try await attached.waitUntilFinished() == .succeeded)
            #expect(found.isFinished && found.exitStatus == 0)
            #expect(try await attached.operations.map(\.name) == ["first", "second"])
            #expect(try await attached.operations.first === found)
            for missing in [OperationAddress(job: 99, index: 0), OperationAddress(job: -1, index: 0)] {
                let error = await #expect(throws: ClusterError.self) { try await client.operation(missing) }
                #expect(error?.code == .notFound)
            }
            let error = await #expect(throws: ClusterError.self) { try await client.job(99) }
            #expect(error?.code == .notFound)
        }
    }

    @Test("BL4 L9 A Swift operation is found with its type, and no other type")
    func attach() async throws {
        try await withCluster(workers: 0) { cluster in
            try await cluster.withSwiftWorker {
                let square = RemoteOperation(Square(number: 7))
                try await cluster.client().queue().addOperation(square)
                let client = try cluster.client()
                let address = try #require(square.address)
                let found = try await client.operation(address, as: Square.self)
                #expect(found.work.number == 7)
                #expect(try await found.value == 49)
                #expect(try await client.operation(address, as: Square.self) === found)
                let error = await #expect(throws: ClusterError.self) {
                    try await client.operation(address, as: SumOfSquares.self)
                }
                #expect(error?.code == .coding)
                #expect(try await !(client.operation(address) is CommandOperation))
            }
        }
    }

    @Test("PG1 PG6 Progress objects follow an operation, a queue and a job; cancelling one cancels the operation")
    func progress() async throws {
        try await withCluster(workers: 0) { cluster in
            try await cluster.withSwiftWorker {
                let client = try cluster.client()
                let queue = client.queue("progress")
                let gate = try cluster.gate()
                let report = RemoteOperation(Report(gate: gate.path))
                let progress = report.progress
                #expect(progress.totalUnitCount == 1_000_000 && progress.completedUnitCount == 0)
                let waiting = RemoteOperation(Square(number: 1)).after(report)
                let job = try await queue.addOperations([report, waiting])
                let whole = job.progress
                while progress.completedUnitCount < 250_000 { await Task.yield() }
                #expect(progress.localizedAdditionalDescription == "a quarter")
                while whole.totalUnitCount != 2 { await Task.yield() }
                #expect(whole.completedUnitCount == 0)
                waiting.progress.cancel()
                #expect(try await waiting.waitUntilFinished() == .cancelled)
                try await gate.open()
                #expect(try await report.waitUntilFinished() == .succeeded)
                #expect(progress.fractionCompleted == 1)
                while whole.completedUnitCount < 2 { await Task.yield() }
                #expect(try await job.waitUntilFinished() == .cancelled)
            }
        }
    }

    @Test("D11 D13 A failed job is retried as a new one, and a key makes one job of two submissions")
    func retries() async throws {
        try await withCluster(workers: 1) { cluster in
            let client = try cluster.client()
            let queue = client.queue()
            let (good, bad) = (CommandOperation("true"), CommandOperation("false"))
            let job = try await queue.addOperations([good, bad])
            #expect(try await job.waitUntilFinished() == .failed)
            let retry = try await job.retry()
            #expect(try await retry.waitUntilFinished() == .failed)
            #expect(try await retry.retryOf == job.number)
            #expect(try await job.retriedAs == [retry.number])
            #expect(try await retry.counts.total == 1)

            func submit(_ argument: String) async throws -> (Job, DistributedOperation) {
                let operation = CommandOperation("echo", argument)
                let job = try await queue.addOperations(name: "keyed", key: "nightly") { operation }
                return (job, operation)
            }
            let (first, one) = try await submit("a")
            let (second, other) = try await submit("a")
            #expect(first.isNew && !second.isNew && first.number == second.number)
            #expect(one.address == other.address && one !== other)
            #expect(try await other.waitUntilFinished() == .succeeded)
            #expect(try await one.waitUntilFinished() == .succeeded)
            await #expect(throws: ClusterError.self) { try await submit("b") }
        }
    }
}
