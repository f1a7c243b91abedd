import Baton
import Foundation

/// The examples of the comments on public types.
///
/// Nothing calls these functions.
enum TypeSnippets {
    static func cluster() async throws {
        let cluster = try Cluster(coordinator: "tcp://10.0.0.1:7461")
        let build = try await cluster.queue("builds").addOperations { CommandOperation("make", "all") }
        print(try await build.waitUntilFinished())
    }

    static func clusterError(_ operation: DistributedOperation, in queue: DistributedOperationQueue) async throws {
        do {
            try await queue.addOperation(operation)
        } catch let error as ClusterError where error.code == .overloaded {
            print("Later: \(error.message)")
        }
    }

    static func clusterEvent(of cluster: Cluster) async throws {
        for try await event in cluster.events(since: nil) {
            if case .jobFinished(let number, let outcome, _) = event.kind { print("job \(number): \(outcome)") }
        }
    }

    static func eventStream(of command: CommandOperation) async throws {
        for try await piece in command.output(.error) {
            print(String(decoding: piece, as: UTF8.self), terminator: "")
        }
    }

    static func operationChange(of operation: DistributedOperation) async throws {
        for try await change in operation.stateChanges {
            if case .state(let state, _, let attempt, let worker) = change { print(state, attempt, worker ?? "-") }
        }
    }

    static func job(in queue: DistributedOperationQueue) async throws {
        let job = try await queue.addOperations(name: "nightly") { CommandOperation("backup").named("backup") }
        if try await job.waitUntilFinished() == .failed { try await job.retry().waitUntilFinished() }
    }

    static func jobOutcome(of job: Job) async throws {
        let isGood = try await job.waitUntilFinished() == .succeeded
        print(isGood ? "all went well" : "look at \(job)")
    }

    static func commandOperation(in queue: DistributedOperationQueue) async throws {
        let count = CommandOperation("wc", "-l", "words.txt")
        try await queue.addOperation(count)
        try await count.waitUntilFinished()
        print(count.exitStatus ?? -1)
    }

    static func dependencyCondition(of drawing: DistributedOperation) {
        let cleaning = CommandOperation("rm", "-f", "a.png")
        cleaning.addDependency(drawing, requiring: .failure)
    }

    static func dependencyResult(in context: OperationContext) throws {
        for dependency in context.dependencies where dependency.outcome == .succeeded {
            let size = try dependency.value(of: Resize.self)
            context.logger.info("\(dependency.address): \(size ?? 0) bytes")
        }
    }

    static func distributedOperation(
        _ first: DistributedOperation,
        _ second: DistributedOperation,
        in queue: DistributedOperationQueue
    ) async throws {
        let drawn = DistributedOperation()  // does nothing: both pictures are there once it is finished
        drawn.addDependency(first)
        drawn.addDependency(second)
        drawn.completionBlock = { print(drawn.isCancelled) }
        try await queue.addOperations([first, second, drawn])
    }

    static func groupOperation(in queue: DistributedOperationQueue) async throws {
        let pair = GroupOperation(commands: [["server", "--once"], ["client"]])
        try await queue.addOperation(pair)
    }

    static func operationAddress(in cluster: Cluster) async throws {
        let sepia = try await cluster.operation(OperationAddress(job: 12, index: 3))
        print(sepia.operationState)
    }

    struct Tidy: ClusterOperation {
        static let typeName = "tidy"
        func run(in context: OperationContext) async throws {
            context.logger.info("attempt \(context.attempt) on \(context.worker)")
            context.report(progress: 0.5, "half of it")
        }
    }

    static func operationError(of resized: RemoteOperation<Resize>) async throws {
        do {
            print(try await resized.value)
        } catch let error as OperationError where error.code == .timeout {
            print("too slow, in attempt \(error.attempt)")
        }
    }

    static func operationOutcome(of operation: DistributedOperation) async throws {
        switch try await operation.waitUntilFinished() {
        case .succeeded: print("done")
        case .failed, .skipped: print(operation.error?.message ?? "")
        case .cancelled: print("as you like")
        }
    }

    static func operationState(in queue: DistributedOperationQueue) async throws {
        let waiting = try await queue.allOperations().filter { $0.operationState != .executing }
        _ = waiting
    }

    static func operationsBuilder(of paths: [String], isPublic: Bool, in queue: DistributedOperationQueue) async throws
    {
        let job = try await queue.addOperations {
            for path in paths { Resize(path: path, width: 80) }
            if isPublic { CommandOperation("publish") }
        }
        _ = job
    }

    static func queuePriority(of operation: DistributedOperation) async throws {
        operation.queuePriority = .high
        let hasEffect = try await operation.set(queuePriority: .init(clamping: 100))  // false once it has started
        _ = hasEffect
    }

    static func remoteOperation(in queue: DistributedOperationQueue) async throws {
        let resized = RemoteOperation(Resize(path: "a.png", width: 80)).named("small")
        try await queue.addOperation(resized)
        let bytes = try await resized.value
        _ = bytes
    }

    static func waitReason(of operation: DistributedOperation) async throws {
        for reason in try await operation.explain() { print(reason.kind, reason) }
    }

    static func queue() throws {
        let images = try Cluster().queue("images")
        images.maxConcurrentOperationCount = 4
        try images.addOperation(CommandOperation("convert", "a.png", "b.png"))
        try images.waitUntilAllOperationsAreFinished()
    }

    static func queueStatus(of queue: DistributedOperationQueue) async throws {
        let status = try await queue.status()
        print("\(status.executingCount) of \(status.operationCount) execute")
    }

    static func options() {
        var options = OperationOptions(retries: 2, timeout: .seconds(600))
        options.nice = 10
        options.stdout = "logs/{name}.txt"
        let build = CommandOperation("make", "all", options: options)
        _ = build

        let listing = CommandOperation("ls", options: OperationOptions().setting(\.stdout, to: "listing.txt"))
        _ = listing
    }
}
