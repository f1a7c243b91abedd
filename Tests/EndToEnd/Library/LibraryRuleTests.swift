import Baton
import Foundation
import Testing

@Suite("The rules of the library", .timeLimit(.minutes(60)))
struct LibraryRuleTests {
    @Test("L1 L3 What is asked takes effect in the order asked, in both forms mixed")
    func order() async throws {
        try await withCluster(workers: 1, slots: 4) { cluster in
            let queue = try cluster.client().queue("ordered")
            for round in 0..<20 {
                queue.isSuspended = true
                let operations = (0..<3).map { _ in CommandOperation(shell: cluster.note("\(round)")) }
                try await queue.addOperation(operations[0])
                try await blockingly { try queue.addOperation(operations[1]) }
                try await queue.addOperation(operations[2])
                #expect(try await queue.status().operationCount == 3)
                try await queue.cancelAllOperations()
                let kept = CommandOperation(shell: cluster.note("kept \(round)"))
                try await queue.addOperation(kept)
                queue.isSuspended = false
                try await queue.waitUntilAllOperationsAreFinished()
                #expect(operations.allSatisfy { $0.outcome == .cancelled && $0.isCancelled })
                #expect(kept.outcome == .succeeded && !kept.isCancelled)
            }
            #expect(cluster.notes == (0..<20).map { "kept \($0)" })
        }
    }

    @Test("L4 QU3 DE16 DE18 Misuse throws at the call, and leaves the objects as they were")
    func misuse() async throws {
        try await withCluster(workers: 1) { cluster in
            let client = try cluster.client()
            let queue = client.queue()
            try await blockingly {
                func refused(_ code: ClusterError.Code, _ operations: [DistributedOperation]) {
                    let error = #expect(throws: ClusterError.self) {
                        try queue.addOperations(operations, waitUntilFinished: false)
                    }
                    #expect(error?.code == code, "\(String(describing: error))")
                    #expect(operations.allSatisfy { $0.queue == nil && $0.operationState != .finished })
                }
                let added = CommandOperation("true")
                try queue.addOperation(added)
                let error = #expect(throws: ClusterError.self) { try queue.addOperation(added) }
                #expect(error?.code == .alreadyAdded && added.queue === queue)
                let good = CommandOperation("true")
                #expect(throws: ClusterError.self) { try queue.addOperations([good, added], waitUntilFinished: false) }
                #expect(good.queue == nil)

                refused(.invalid, [CommandOperation(command: [])])
                refused(.invalid, [GroupOperation()])
                refused(.invalid, [CommandOperation("true").named("1st")])
                refused(.invalid, [CommandOperation("true", options: OperationOptions(retries: -1))])
                refused(.invalid, [CommandOperation("true", options: OperationOptions(timeout: .zero))])
                refused(.invalid, [CommandOperation("true", options: OperationOptions(delay: .seconds(-1)))])
                refused(.invalid, [CommandOperation("true", options: OperationOptions(cpus: -1))])
                refused(.invalid, [CommandOperation("true", options: OperationOptions(memory: 0))])
                refused(.invalid, [CommandOperation("true", options: OperationOptions(resources: ["gpu": 0]))])
                refused(.invalid, [CommandOperation("true", options: OperationOptions(labels: ["zone"]))])
                refused(.tooLarge, [RemoteOperation(Text(text: String(repeating: "a", count: 1 << 20)))])
                refused(.coding, [RemoteOperation(Text(text: "refuses"))])

                let itself = CommandOperation("true").named("itself")
                itself.addDependency(itself)
                let cycle = #expect(throws: ClusterError.self) { try queue.addOperation(itself) }
                #expect(cycle?.code == .cycle && cycle?.path == ["itself", "itself"])
                let ring = (0..<3).map { CommandOperation("true").named("ring\($0)") }
                for number in 0..<3 { ring[number].addDependency(ring[(number + 1) % 3]) }
                refused(.cycle, ring)
                // The last of a ring of single additions closes it.
                try queue.addOperation(ring[0])
                try queue.addOperation(ring[1])
                let last = #expect(throws: ClusterError.self) { try queue.addOperation(ring[2]) }
                #expect(last?.code == .cycle && last?.path.count == 4)
                #expect(ring[2].queue == nil)
                // Also once the coordinator has the others.
                try client.flush()
                let late = #expect(throws: ClusterError.self) { try queue.addOperation(ring[2]) }
                #expect(late?.code == .cycle && late?.path.count == 4)
                #expect(ring[2].queue == nil)

                // What was refused can be added when it is mended.
                itself.removeDependency(itself)
                try queue.addOperation(itself)
                ring[2].removeDependency(ring[0])
                try queue.addOperation(ring[2])
                for operation in ring { try operation.waitUntilFinished() }
                try client.flush()
            }
        }
    }

    @Test("L4 L5 A refused addition that nobody awaited is thrown once, and takes no other with it")
    func refusals() async throws {
        try await withCluster(workers: 1, slots: 2) { cluster in
            let client = try cluster.client()
            let queue = client.queue()
            let isCalled = Observed(false)
            let (good, bad): ([CommandOperation], CommandOperation) = try await blockingly {
                let good = (0..<50).map { CommandOperation("true", "\($0)") }
                let bad = CommandOperation("true")
                bad.addDependency(on: OperationAddress(job: 9999, index: 0))
                bad.completionBlock = { isCalled.update { $0 = true } }
                for (number, operation) in good.enumerated() {
                    try queue.addOperation(operation)
                    if number == 25 { try queue.addOperation(bad) }
                }
                let error = #expect(throws: ClusterError.self) { try client.flush() }
                #expect(error?.code == .unknownDependency)
                try client.flush()
                return (good, bad)
            }
            for operation in good { #expect(try await operation.waitUntilFinished() == .succeeded) }
            #expect((bad.outcome, bad.error?.code, bad.address) == (.failed, .refused, nil))
            #expect(try await bad.waitUntilFinished() == .failed)
            try await isCalled.wait { $0 }

            // An awaited addition throws the refusal itself, and its object can be added again.
            let again = CommandOperation("true")
            again.addDependency(on: OperationAddress(job: 9999, index: 0))
            let error = await #expect(throws: ClusterError.self) { try await queue.addOperation(again) }
            #expect(error?.code == .unknownDependency && again.queue == nil && !again.isFinished)
            try await client.flush()
            // All or nothing (QU4).
            let both = [CommandOperation("true"), CommandOperation("true").after()]
            both[1].addDependency(onJob: 9999)
            await #expect(throws: ClusterError.self) { try await queue.addOperations(both) }
            #expect(both.allSatisfy { $0.queue == nil })
            let names = [CommandOperation("true").named("same"), CommandOperation("true").named("same")]
            let duplicate = await #expect(throws: ClusterError.self) { try await queue.addOperations(names) }
            #expect(duplicate?.code == .duplicateName)
            // Of single additions, equal names never share a job.
            try await blockingly {
                for operation in names { try queue.addOperation(operation) }
                try client.flush()
            }
            #expect(names[0].address?.job != names[1].address?.job)
            // A bad limit is a refusal too.
            queue.maxConcurrentOperationCount = -2
            let limit = await #expect(throws: ClusterError.self) { try await client.flush() }
            #expect(limit?.code == .invalid && queue.maxConcurrentOperationCount == -1)
        }
    }

    @Test("L6 DE3 An operation waits for additions to come, in any queue, and says so")
    func missingAdditions() async throws {
        try await withCluster(workers: 1, slots: 2) { cluster in
            let client = try cluster.client()
            let early = CommandOperation(shell: cluster.note("early"))
            let late = (0..<2).map { CommandOperation(shell: cluster.note("late")).named("late\($0)") }
            let removed = CommandOperation("true")
            early.addDependency(late[0])
            early.addDependency(late[1], requiring: .success)
            early.addDependency(removed)
            try await client.queue("early").addOperation(early)
            #expect(try await early.explain().map(\.kind) == [.addition, .addition, .addition])
            #expect(early.operationState == .pending)
            early.removeDependency(removed)
            try await client.queue("late").addOperation(late[0])
            #expect(try await early.explain().map(\.kind) == [.addition])
            try await client.queue("late").addOperation(late[1])
            #expect(try await early.waitUntilFinished() == .succeeded)
            #expect(cluster.notes == ["late", "late", "early"])
            #expect(early.dependencies == late)

            // An operation that the program holds stays held.
            let gate = CommandOperation("true")
            let held = CommandOperation("true", options: OperationOptions(isHeld: true)).after(gate)
            try await client.queue("early").addOperation(held)
            try await client.queue("late").addOperation(gate)
            try await gate.waitUntilFinished()
            #expect(try await held.explain().map(\.kind) == [.hold])
            try await held.release()
            #expect(try await held.waitUntilFinished() == .succeeded)

            // A dependency on a later addition also holds what is in the queue already.
            let suspended = client.queue("suspended")
            try await suspended.suspend()
            let waiting = CommandOperation(shell: cluster.note("waiting"))
            try await suspended.addOperation(waiting)
            let source = CommandOperation(shell: cluster.note("source"))
            waiting.addDependency(source)
            try await suspended.resume()
            try await client.flush()
            #expect(try await waiting.explain().map(\.kind) == [.addition])
            try await client.queue("late").addOperation(source)
            #expect(try await waiting.waitUntilFinished() == .succeeded)
            #expect(cluster.notes.suffix(2) == ["source", "waiting"])
        }
    }

    @Test("L4 L6 An operation that waits for an addition is cancelled when that one is refused, and its dependents run")
    func refusedDependency() async throws {
        try await withCluster(workers: 1) { cluster in
            let queue = try cluster.client().queue()
            let late = CommandOperation("true").named("late")
            let early = CommandOperation(shell: cluster.note("never")).needs(late)
            let next = CommandOperation(shell: cluster.note("next")).after(early)
            try await queue.addOperation(early)
            try await queue.addOperation(next)
            late.addDependency(on: OperationAddress(job: 9999, index: 0))
            try await blockingly { try queue.addOperation(late) }
            // The refusal of what nobody awaited is thrown once.
            let refusal = await #expect(throws: ClusterError.self) { try await early.waitUntilFinished() }
            #expect(refusal?.code == .unknownDependency)
            #expect(try await early.waitUntilFinished() == .cancelled)
            #expect(early.isCancelled && early.error?.code == .cancelled)
            let message = early.error?.message ?? ""
            #expect(message.hasPrefix("It was cancelled because \"late\", which it depends on, was refused: "))
            #expect(try await next.waitUntilFinished() == .succeeded)
            #expect(cluster.notes == ["next"])
        }
    }

    @Test("L8 L10 QO1 Settings belong to the cluster's queue; names, classes and options are fixed at the addition")
    func settings() async throws {
        try await withCluster(workers: 0) { cluster in
            let (client, other) = (try cluster.client(), try cluster.client())
            let queue = client.queue("set")
            #expect(client.queue("set") === queue && other.queue("set") !== queue)
            #expect(try await queue.status() == other.queue("unused").status())
            #expect(queue.maxConcurrentOperationCount == DistributedOperationQueue.defaultMaxConcurrentOperationCount)
            #expect(queue.qualityOfService == .default)
            queue.maxConcurrentOperationCount = 3
            queue.qualityOfService = .utility
            queue.isSuspended = true
            try await client.flush()
            let status = try await other.queue("set").status()
            #expect(
                status.maxConcurrentOperationCount == 3 && status.isSuspended && status.qualityOfService == .utility
            )
            #expect(status.fractionCompleted == nil)
            try await queue.set(maxConcurrentOperationCount: -1, qualityOfService: .background)
            #expect(try await other.queue("set").status().maxConcurrentOperationCount == -1)
            let error = await #expect(throws: ClusterError.self) {
                try await queue.set(maxConcurrentOperationCount: -2)
            }
            #expect(error?.code == .invalid)

            let operation = CommandOperation("true").named("before").priority(.high)
            operation.qualityOfService = .userInitiated
            try await queue.addOperation(operation)
            operation.name = "after"
            operation.qualityOfService = .background
            #expect(operation.name == "before" && operation.qualityOfService == .userInitiated)
            #expect(try await operation.set(queuePriority: .veryLow))
            let address = try #require(operation.address)
            let found = try await other.operation(address)
            #expect(found.name == "before" && found.queuePriority == .veryLow)
            #expect(found.qualityOfService == .userInitiated)
            let job = try await other.job(address.job)
            try await job.cancel()
            // A suspended queue keeps it unfinished (SU3).
            #expect(try await queue.allOperations() == [operation])
            try await queue.resume()
            #expect(try await operation.waitUntilFinished() == .cancelled)
            #expect(try await !operation.set(queuePriority: .high))
        }
    }

    @Test("L11 A coordinator that stays away is lost for a wait, and the operation goes on")
    func lost() async throws {
        try await withCluster(workers: 1) { cluster in
            var options = Cluster.Options()
            options.awayLimit = .milliseconds(200)
            let client = try cluster.client(options)
            let gate = try cluster.gate()
            let operation = CommandOperation(shell: gate.wait)
            try await client.queue().addOperation(operation)
            try await gate.arrival()
            let wait = Task { try await operation.waitUntilFinished() }
            while !operation.isExecuting { await Task.yield() }
            cluster.coordinator?.signal(SIGKILL)
            let error = await #expect(throws: ClusterError.self) { try await wait.value }
            #expect(error?.code == .lost, "\(String(describing: error))")
            #expect(!operation.isFinished)
            try await cluster.coordinator?.end()
            try await cluster.startCoordinator()
            try await gate.open()
            // On a busy machine, the way back may take longer than this client's limit; a wait can be repeated.
            var end: OperationOutcome?
            while end == nil {
                do {
                    end = try await operation.waitUntilFinished()
                } catch let error as ClusterError where error.code == .lost {}
            }
            #expect(end == .succeeded)
            #expect(operation.attempt == 1)
        }
    }

    @Test("L12 The cancellation of a task ends its wait, and leaves the operation as it is")
    func taskCancellation() async throws {
        try await withCluster(workers: 1) { cluster in
            let queue = try cluster.client().queue()
            let gate = try cluster.gate()
            let operation = CommandOperation(shell: gate.wait)
            try await queue.addOperation(operation)
            try await gate.arrival()
            let waits: [@Sendable () async throws -> Void] = [
                { try await operation.waitUntilFinished() },
                { try await queue.waitUntilAllOperationsAreFinished() },
                { for try await _ in operation.stateChanges {} },
                { for try await _ in operation.output() {} },
            ]
            for wait in waits {
                let task = Task { try await wait() }
                task.cancel()
                await #expect(throws: CancellationError.self) { try await task.value }
            }
            try await gate.open()
            #expect(try await operation.waitUntilFinished() == .succeeded)
        }
    }

    @Test("L13 WA3 A wait inside an operation that could never end is refused, and another one is not")
    func deadlock() async throws {
        try await withCluster(workers: 0) { cluster in
            try await cluster.withSwiftWorker(slots: 2) {
                let client = try cluster.client()
                let queue = client.queue()
                let itself = try await queue.addOperation(WaitFor(address: nil))
                #expect(try await itself.value == "deadlock")
                let gate = try cluster.gate()
                let command = CommandOperation(shell: gate.wait)
                try await queue.addOperation(command)
                let wait = try await queue.addOperation(WaitFor(address: command.address))
                try await gate.open()
                #expect(try await wait.value == "succeeded")
                let serial = client.queue("serial")
                try await serial.set(maxConcurrentOperationCount: 1)
                try await serial.suspend()
                let later = CommandOperation("true")
                let first = RemoteOperation(WaitFor(address: nil))
                try await serial.addOperation(later.priority(.low))
                let blocked = RemoteOperation(WaitFor(address: later.address)).priority(.high)
                try await serial.addOperation(blocked)
                try await serial.addOperation(first.priority(.veryLow))
                try await serial.resume()
                #expect(try await blocked.value == "deadlock")
                #expect(try await first.value == "deadlock")
            }
        }
    }

    @Test("L13 WA3 A program in a command waits as its operation, without a key, and is refused a wait without an end")
    func commandsWait() async throws {
        try await withCluster(workers: 0) { cluster in
            try await cluster.startWorker("w1", labels: ["runs": "commands"])
            try await cluster.startWorker(example: "Pipeline", as: "types")
            let file = try cluster.write("an error\nfine\n", to: "a.log")
            let client = try cluster.client()
            func pipeline() -> CommandOperation {
                CommandOperation(
                    command: [TestCluster.builtProgram("Pipeline"), "error", cluster.home.path, file],
                    // Without the test's keys, the program has nothing but the token of its operation.
                    environment: ["BATON_HOME": cluster.home.appending(path: "without-keys").path],
                    options: OperationOptions(labels: ["runs=commands"])
                )
            }
            func text(_ operation: CommandOperation, _ stream: CommandOperation.Stream) async throws -> String {
                var bytes = Data()
                for try await piece in operation.output(stream) { bytes += piece }
                return String(decoding: bytes, as: UTF8.self)
            }
            let outside = pipeline()
            try await client.queue("commands").addOperation(outside)
            #expect(try await outside.waitUntilFinished() == .succeeded)
            #expect(try await text(outside, .error).isEmpty)
            #expect(try await text(outside, .output) == "1 lines, 0 of 1 files missing\n")

            // What the program waits for is in the queue "pipeline", and could start only after the program.
            let queue = client.queue("pipeline")
            try await queue.set(maxConcurrentOperationCount: 1)
            let inside = pipeline()
            try await queue.addOperation(inside)
            #expect(try await inside.waitUntilFinished() == .failed)
            #expect(inside.exitStatus == 1)
            let sentence = try await text(inside, .error)
            #expect(sentence.hasPrefix("3/0 would wait for ever: the queue \"pipeline\" executes at most 1 at once"))
            // The operations that the program had added are there, and run now.
            try await queue.waitUntilAllOperationsAreFinished()
            #expect(try await client.job(4).outcome == .succeeded)
        }
    }

    @Test("L14 More operations than may be without an answer wait for their turn, or are refused")
    func backPressure() async throws {
        try await withCluster(workers: 1, slots: 2) { cluster in
            var options = Cluster.Options()
            options.maximumUnsent = 10
            let client = try cluster.client(options)
            let queue = client.queue()
            // All of them are added, by tasks that wait for room.
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<200 { group.addTask { try await queue.addOperation(DistributedOperation()) } }
                try await group.waitForAll()
            }
            try await queue.waitUntilAllOperationsAreFinished()
            // Nobody answers while the coordinator is stopped.
            cluster.coordinator?.signal(SIGSTOP)
            try await blockingly {
                for _ in 0..<10 { try queue.addOperation(DistributedOperation()) }
                let more = DistributedOperation()
                let error = #expect(throws: ClusterError.self) { try queue.addOperation(more) }
                #expect(error?.code == .overloaded && more.queue == nil)
            }
            cluster.coordinator?.signal(SIGCONT)
            try await client.flush()
            #expect(try await client.job(1).waitUntilFinished() == .succeeded)
        }
    }

    /// A text that may refuse to be encoded.
    private struct Text: ClusterOperation {
        static let typeName = "text"
        var text: String

        func run(in context: OperationContext) async throws {}

        func encode(to encoder: any Encoder) throws {
            if text == "refuses" { throw CocoaError(.coderInvalidValue) }
            var container = encoder.singleValueContainer()
            try container.encode(text)
        }
    }
}
