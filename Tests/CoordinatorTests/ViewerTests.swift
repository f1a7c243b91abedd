@_spi(Baton) import BatonKeys
@_spi(Baton) import BatonOperations
import Testing
@_spi(Baton) import BatonWire

/// Tests of the answers to viewers, who see the state of operations and not their content.
@Suite("Viewers", .timeLimit(.minutes(60)))
struct ViewerTests {
    /// A word that stands in all content and nowhere else.
    private static let secret = "hunter2"
    private static let jobs = [JobNumber(1), JobNumber(2)]

    /// Operations of each kind, with the secret in every part.
    private static func submission(isHeld: Bool) -> Submission {
        func template(_ kind: Work.Kind) -> Template {
            let work = Work(kind, environment: ["NAME": secret], directory: "/\(secret)", standardInput: secret)
            return Template(work: work, retries: 1, retryDelay: .zero, onFinish: ["echo", secret])
        }
        return Submission(
            name: "night",
            key: isHeld ? "held" : nil,
            templates: [
                template(.commands([["echo", secret]])), template(.commands([["echo"], [secret]])),
                template(.typed(type: "resize", argument: Array(#"{"a":"\#(secret)"}"#.utf8))),
            ],
            entries: [
                Entry(name: "one", isHeld: isHeld), Entry(name: "two", template: 1, isHeld: isHeld),
                Entry(name: "three", template: 2, isHeld: isHeld),
                Entry(name: "lines", isHeld: isHeld, array: .lines([secret, "x\(secret)"])),
            ]
        )
    }

    /// The end of an attempt of an operation; each first attempt fails and is made again.
    private static func result(of assignment: Assignment) -> AttemptResult {
        let tail = OutputTail(totalLength: UInt64(secret.utf8.count), bytes: Array(secret.utf8))
        let end: AttemptEnd =
            switch assignment.operation.index {
            case 0: .notStarted("The program \(secret) cannot be found.")
            case 1: .unusableResult("The file \(secret) is too large.")
            case 2: .threw("\(secret) is no number")
            case 3: assignment.attempt == 1 ? .workerFault("\(secret) was not started.", hasRun: true) : .exited(1)
            default: .exited(0)
            }
        let bytes = end == .exited(0) ? Array(secret.utf8) : nil
        return AttemptResult(end: end, standardOutput: tail, standardError: tail, result: bytes)
    }

    /// Runs the first job, reports a fault that quotes the secret, and leaves the second job held.
    private func fill(_ coordinator: KeyedCoordinator) throws {
        let client = try coordinator.connect(as: .client)
        _ = try client.ask(.submit(Self.submission(isHeld: false)))
        _ = try client.ask(.submit(Self.submission(isHeld: true)))
        let nightly = ScheduleSettings(name: "nightly", cron: try CronExpression("0 0 29 2 *"))
        _ = try client.ask(.addSchedule(nightly, Self.submission(isHeld: false)))
        let worker = try coordinator.connect(as: .worker)
        let session = try worker.join("w1", session: 7, slots: 8, types: ["resize"]).session
        var ended = 0
        while ended < 10 {
            let assignments = try worker.receiveAttempts()
            let completions = assignments.map {
                Completion(token: $0.token, operation: $0.operation, result: Self.result(of: $0))
            }
            let started = assignments.map { AttemptStart($0.token) }
            try worker.send(WorkerMessage.report(session, AttemptReport(started: started)).encoded())
            try worker.settle(session)
            for assignment in assignments where assignment.operation.index == 4 && !assignment.isHook {
                let progress = OperationProgress(fraction: 0.5, message: "\(Self.secret) is read")
                _ = try client.ask(.reportProgress(assignment.operation, attempt: assignment.attempt, progress))
            }
            try worker.report(completions, of: session)
            ended += assignments.count { !$0.isHook }
        }
        let wait = Request.wait([.job(Self.jobs[0])], queue: nil, atMost: .seconds(60), waiter: nil)
        guard case .progress(let progress) = try client.askUntilAnswered(wait), progress.isFinished else {
            throw Unexpected(answer: "the job goes on")
        }
        let fault = WorkerMessage.health(session, fault: "The program \(Self.secret) was not started.")
        try worker.send(fault.encoded())
        try worker.settle(session)
        // Two operations that wait for the failing worker: after a while, one of them is sent as a trial.
        for index in 0..<2 as Range<UInt32> {
            _ = try client.ask(.release([.operation(OperationID(job: Self.jobs[1], index: index))]))
        }
    }

    /// The number of a request's kind; a new kind of document needs a request in ``documents``.
    private static func kind(of request: DocumentRequest) -> Int {
        switch request {
        case .job: 0
        case .operation: 1
        case .explain: 2
        case .jobs: 3
        case .queue: 4
        case .queues: 5
        case .workers: 6
        case .status: 7
        case .failures: 8
        case .names: 9
        case .summary: 10
        case .graph: 11
        case .allWorkers: 12
        case .worker: 13
        case .standstill: 14
        case .overview: 15
        case .metrics: 16
        case .throughput: 17
        case .criticalPath: 18
        case .waiting: 19
        case .schedules: 20
        case .schedule: 21
        case .limits: 22
        case .files: 23
        case .demand: 24
        case .coordinatorKeys: 25
        }
    }

    /// Requests for all documents.
    private static var documents: [DocumentRequest] {
        var requests: [DocumentRequest] = [
            .jobs(before: nil, limit: 1000), .queue("default"), .queues, .limits, .workers, .status,
            .allWorkers, .worker("w1"), .standstill(jobs.map { .job($0) }, queue: nil),
            .standstill([], queue: "default"), .overview(jobs: 20),
            .metrics, .throughput(seconds: 60), .schedules, .schedule("nightly"),
            .demand(OfferedWorker(slots: 2)), .coordinatorKeys,
        ]
        for job in jobs {
            requests += [.job(job, from: 0, limit: 1000), .failures(job, limit: 100)]
            requests.append(.job(job, from: 0, limit: 9, filter: ListFilter(outcomes: [.failed])))
            requests += [.names(job, matching: nil, from: 0), .summary(job), .criticalPath(job), .waiting(job)]
            requests.append(.graph(job, from: 0, limit: 1000))
            requests.append(.files(.job(job), from: 0, limit: 1000))
            var addresses = ["one", "lines"].map { Address.named(job, $0) }
            for index in 0..<5 as Range<UInt32> { addresses.append(.operation(OperationID(job: job, index: index))) }
            for address in addresses { requests += [.operation(address), .explain(address)] }
        }
        return requests
    }

    /// Requests of all other kinds about the first operation of a job.
    private static func others(_ job: JobNumber) -> [Request] {
        let first = OperationID(job: job, index: 0)
        let address = Address.operation(first)
        let dependency = ExistingDependency(on: address, condition: .any)
        let progress = OperationProgress(fraction: 0)
        var requests: [Request] = [.watch(since: 0, limit: 1000, atMost: .zero), .submit(submission(isHeld: true))]
        requests.append(.wait([address, .job(job)], queue: "default", atMost: .zero, waiter: nil))
        requests.append(.log(address, attempt: 1, .standardError, offset: 0, limit: 1000))
        requests.append(.log(address, attempt: nil, .standardOutput, offset: 0, limit: 1000))
        requests.append(.outputs(OutputSelection(job: job, operations: [0..<9])))
        requests.append(.history(HistorySelection(job: job)))
        requests.append(.result(.operation(OperationID(job: job, index: 4))))
        requests += [.cancel([address], queue: nil), .hold([address]), .release([address])]
        requests += [.pause([address]), .resume([address]), .signal([address], .window)]
        requests += [.setPriority([address], .high), .depend(address, [dependency]), .undepend(address, [address])]
        requests += [.addCommand(address, ["true"]), .retry(job, key: "k"), .retry(job, groups: [1], key: "k")]
        requests += [.delete([job]), .deleteQueue("default"), .close([job])]
        requests += [.changeSchedule("nightly", .pause), .startSchedule("nightly", key: "k")]
        requests.append(.add(submission(isHeld: false), to: job))
        requests.append(.reportProgress(first, attempt: 1, progress))
        requests.append(.setQueue(QueueChange(name: "q", maxConcurrent: .atMost(1))))
        requests.append(.setLimit(LimitChange("licence", units: 1)))
        return requests
    }

    /// The bytes of the answer to a request.
    private func answer(_ peer: Peer, _ request: Request) throws -> String {
        let number = try peer.begin(request)
        while let bytes = try peer.receive() {
            if case .reply(number, _) = try bytes.withUnsafeBytes({ try ClientReply(decoding: $0) }) {
                return String(decoding: bytes, as: UTF8.self)
            }
        }
        throw Unexpected(answer: "none")
    }

    @Test("No byte of any answer to a viewer shows what operations do, print or return")
    func secrets() throws {
        let coordinator = try KeyedCoordinator()
        try fill(coordinator)
        #expect(Set(Self.documents.map { Self.kind(of: $0) }) == Set(0...25))
        let viewer = try coordinator.connect(as: .viewer)
        let client = try coordinator.connect(as: .client)
        var kindsWithContent: Set<Int> = []
        for request in Self.documents.map({ Request.document($0) }) + Self.jobs.flatMap(Self.others) {
            let text = try answer(viewer, request)
            #expect(!text.contains(Self.secret), "\(request): \(text)")
            if case .document(let document) = request, try answer(client, request).contains(Self.secret) {
                kindsWithContent.insert(Self.kind(of: document))
            }
        }
        // A client sees content in jobs, operations, workers and the status, so that there was something to hide.
        #expect(kindsWithContent.isSuperset(of: [0, 1, 6, 7, 11, 19]))
        // The messages of progress are content too, and the numbers are not.
        let watch = Request.watch(since: 0, limit: 1000, atMost: .zero)
        #expect(try answer(client, watch).contains("\(Self.secret) is read"))
        #expect(try answer(viewer, watch).contains(#""progress":0.5"#))
        try coordinator.stop()
    }

    @Test("Nobody sees the values of environment variables")
    func environment() throws {
        let coordinator = try KeyedCoordinator()
        let client = try coordinator.connect(as: .client)
        let work = Work(.commands([["true"]]), environment: ["NAME": Self.secret])
        _ = try client.ask(.submit(Submission(templates: [Template(work: work)], entries: [Entry(name: "one")])))
        let operation = Address.operation(OperationID(job: Self.jobs[0], index: 0))
        for request in [.job(Self.jobs[0], from: 0, limit: 9), .operation(operation)] as [DocumentRequest] {
            let text = try answer(client, .document(request))
            #expect(text.contains(#""env":["NAME"]"#) && !text.contains(Self.secret), "\(text)")
        }
        let graph = try answer(client, .document(.graph(Self.jobs[0], from: 0, limit: 9)))
        #expect(graph.contains(#""environment":["NAME"]"#) && !graph.contains(Self.secret), "\(graph)")
        try coordinator.stop()
    }
}
