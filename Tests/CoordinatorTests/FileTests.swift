@_spi(Baton) import BatonDocuments
@_spi(Baton) import BatonOperations
import Testing
@_spi(Baton) import BatonWire

@_spi(Baton) @testable import BatonCoordinator

/// Tests of the files of operations between workers, the record and documents.
@Suite("Files of operations", .timeLimit(.minutes(60)))
struct FileTests {
    private let session = SessionID(rawValue: 7)

    private func file(_ path: String, size: Int64 = 4, seed: UInt8 = 7) throws -> KeptFile {
        let digest = try #require(ContentDigest(bytes: [UInt8](repeating: seed, count: ContentDigest.length)))
        return KeptFile(path: path, size: size, mode: 0o644, digest: digest)
    }

    /// Operations that declare files, each needing the ones at some positions.
    private func submission(_ needs: [[Int]], reuse: JobNumber? = nil) -> Submission {
        var work = Work(.commands([["make"]]))
        work.outputs = ["*"]
        var submission = Submission(
            templates: [Template(work: work)],
            entries: needs.enumerated().map { position, needs in
                let dependencies = needs.map { Dependency(on: .entry($0), condition: .success) }
                return Entry(name: "op\(position)", dependencies: dependencies)
            }
        )
        submission.settings.reuse = reuse
        return submission
    }

    private func submit(_ submission: Submission, _ client: Peer) throws -> JobNumber {
        let reply = try client.ask(.submit(submission))
        guard case .job(let job, _, _) = reply else { throw Unexpected(answer: "\(reply)") }
        return job
    }

    private func join(_ worker: Peer, slots: UInt32 = 1) throws {
        _ = try worker.join("w1", session: session.rawValue, slots: slots)
        try worker.send(WorkerMessage.filesHeld(session, [], isFirst: true).encoded())
    }

    /// Ends the next attempt with files, which its worker keeps then.
    private func complete(_ worker: Peer, leaving files: [KeptFile]) throws {
        try end(try worker.receiveAttempt(), worker, leaving: files)
    }

    private func end(_ attempt: Assignment, _ worker: Peer, leaving files: [KeptFile]) throws {
        let result = AttemptResult(end: .exited(0), result: nil, files: files)
        let completion = Completion(token: attempt.token, operation: attempt.operation, result: result)
        let report = AttemptReport(started: [AttemptStart(attempt.token)], completions: [completion])
        try worker.send(WorkerMessage.report(session, report).encoded())
        try worker.settle(session)
    }

    private func wait(for job: JobNumber, _ client: Peer) throws {
        let reply = try client.askUntilAnswered(.wait([.job(job)], queue: nil, atMost: .seconds(3600), waiter: nil))
        guard case .progress(let progress) = reply, progress.isFinished else { throw Unexpected(answer: "\(reply)") }
    }

    /// Asks for the inputs of an attempt, and returns its files and the names of its results.
    private func inputs(of attempt: Assignment, _ worker: Peer) throws -> (files: [InputFile], results: [String]) {
        try worker.send(WorkerMessage.fetchInputs(session, attempt.token, attempt.operation).encoded())
        var files: [InputFile] = []
        var results: [String] = []
        while let message = try worker.receiveAsWorker() {
            switch message {
            case .inputFiles(attempt.token, let more):
                #expect(results.isEmpty)
                files += more
            case .inputs(attempt.token, let more, let isLast):
                results += more.map(\.name)
                if isLast { return (files, results) }
            default: break
            }
        }
        throw Unexpected(answer: "no inputs")
    }

    @Test(
        "FI3 A worker is told all files of the dependencies before the results, however many there are",
        arguments: [1, 3, 9000]
    )
    func inputFiles(_ count: Int) throws {
        let harness = try Harness()
        defer { harness.remove() }
        let client = try Peer(harness.server.endpoint)
        let worker = try Peer(harness.server.endpoint)
        try join(worker)
        let job = try submit(submission([[], [], [0, 1]]), client)
        // Paths of this length need several messages.
        let long = String(repeating: "x", count: 200)
        let files = try (0..<count).map { try file("\(long)\($0 + 10_000)", seed: UInt8($0 % 200)) }
        try complete(worker, leaving: files)
        try complete(worker, leaving: [])
        let dependent = try worker.receiveAttempt()
        #expect(dependent.operation == OperationID(job: job, index: 2) && dependent.hasInputs)
        let found = try inputs(of: dependent, worker)
        #expect(found.files == files.map { InputFile(folder: "op0", file: $0) })
        #expect(found.results.isEmpty)
        try harness.stop()
    }

    @Test(
        "The list of files comes in pages, with the workers that keep each file and the sums",
        arguments: [1, 2, 5, 1000] as [UInt32]
    )
    func list(_ limit: UInt32) throws {
        let harness = try Harness()
        defer { harness.remove() }
        let client = try Peer(harness.server.endpoint)
        let worker = try Peer(harness.server.endpoint)
        try join(worker)
        let job = try submit(submission([[], [0], [1]]), client)
        for index in 0..<3 {
            try complete(worker, leaving: (0..<index * 2).map { try file("f\($0)", size: 10, seed: UInt8($0)) })
        }
        try wait(for: job, client)
        func paths(_ address: Address) throws -> [String] {
            var paths: [String] = []
            var next: UInt32? = 0
            while let from = next {
                let page = try client.document(FilesDocument.self, .files(address, from: from, limit: limit))
                #expect(page.files.count <= Int(limit) && page.job == job)
                #expect(page.files.allSatisfy { $0.holders == ["w1"] && $0.state == .held && $0.attempt == 1 })
                if case .job = address { #expect(page.count == 6 && page.bytes == 60) }
                paths += page.files.map { "\($0.name ?? "")/\($0.path)" }
                next = page.next
            }
            return paths
        }
        #expect(try paths(.job(job)) == ["op1/f0", "op1/f1", "op2/f0", "op2/f1", "op2/f2", "op2/f3"])
        #expect(try paths(.named(job, "op1")) == ["op1/f0", "op1/f1"])
        #expect(try paths(.operation(OperationID(job: job, index: 0))) == [])
        let operations = try client.document(JobDocument.self, .job(job, from: 0, limit: 9)).operations
        #expect(operations.map(\.files) == [nil, FileTotals(count: 2, bytes: 20), FileTotals(count: 4, bytes: 40)])
        let absent = Address.operation(OperationID(job: job, index: 3))
        guard case .refused(let refusal) = try client.ask(.document(.files(absent, from: 0, limit: limit))) else {
            throw Unexpected(answer: "files of a missing operation")
        }
        #expect(refusal.code == .notFound)
        try harness.stop()
    }

    @Test("A file that its worker has dropped is shown as lost, and one that it keeps again as held")
    func dropped() throws {
        let harness = try Harness()
        defer { harness.remove() }
        let client = try Peer(harness.server.endpoint)
        let worker = try Peer(harness.server.endpoint)
        try join(worker)
        let job = try submit(submission([[]]), client)
        let kept = try file("a")
        try complete(worker, leaving: [kept])
        try wait(for: job, client)
        func state() throws -> FileDocument.State? {
            try client.document(FilesDocument.self, .files(.job(job), from: 0, limit: 9)).files.first?.state
        }
        #expect(try state() == .held)
        try worker.send(WorkerMessage.filesDropped(session, [kept.digest]).encoded())
        try worker.settle(session)
        #expect(try state() == .lost)
        try worker.send(WorkerMessage.filesHeld(session, [kept.digest], isFirst: false).encoded())
        try worker.settle(session)
        #expect(try state() == .held)
        // Who does not speak for the session changes nothing.
        try worker.send(WorkerMessage.filesDropped(SessionID(rawValue: 8), [kept.digest]).encoded())
        try worker.settle(session)
        #expect(try state() == .held)
        try harness.stop()
    }

    @Test("What depends on a finished operation of another job finds its files, whenever it comes to depend on it")
    func finishedDependencies() throws {
        let harness = try Harness()
        defer { harness.remove() }
        let client = try Peer(harness.server.endpoint)
        let worker = try Peer(harness.server.endpoint)
        try join(worker)
        let producer = try submit(submission([[]]), client)
        let kept = try file("a")
        try complete(worker, leaving: [kept])
        try wait(for: producer, client)
        let target = Address.operation(OperationID(job: producer, index: 0))
        var dependent = submission([[]])
        dependent.entries[0].dependencies = [Dependency(on: .existing(target), condition: .success)]

        func checkNext() throws {
            let attempt = try worker.receiveAttempt()
            #expect(try inputs(of: attempt, worker).files == [InputFile(folder: "op0", file: kept)])
            try end(attempt, worker, leaving: [])
        }
        _ = try submit(dependent, client)
        try checkNext()

        var open = submission([])
        open.isOpen = true
        let job = try submit(open, client)
        guard case .added = try client.ask(.add(dependent, to: job)) else { throw Unexpected(answer: "not added") }
        try checkNext()

        var held = submission([[]])
        held.entries[0].isHeld = true
        let later = try submit(held, client)
        let address = Address.operation(OperationID(job: later, index: 0))
        let dependency = ExistingDependency(on: target, condition: .success)
        _ = try client.ask(.depend(address, [dependency]))
        _ = try client.ask(.release([address]))
        try checkNext()
        try harness.stop()
    }

    @Test(
        "D18 An operation that takes a result has the files as its own; without a copy of them, it runs",
        arguments: [true, false]
    )
    func reuse(_ isHeld: Bool) throws {
        let harness = try Harness()
        defer { harness.remove() }
        let client = try Peer(harness.server.endpoint)
        let worker = try Peer(harness.server.endpoint)
        try join(worker)
        let kept = try file("a")
        let old = try submit(submission([[], [0]]), client)
        try complete(worker, leaving: [kept])
        try complete(worker, leaving: [])
        try wait(for: old, client)
        if !isHeld {
            try worker.send(WorkerMessage.filesDropped(session, [kept.digest]).encoded())
            try worker.settle(session)
        }
        let new = try submit(submission([[], [0]], reuse: old), client)
        if !isHeld { for _ in 0..<2 { try complete(worker, leaving: [kept]) } }
        try wait(for: new, client)
        let document = try client.document(FilesDocument.self, .files(.job(new), from: 0, limit: 9))
        let expected = OperationID(job: new, index: 0)
        #expect(document.files.first?.operation == expected && document.files.first?.state == .held)
        #expect(document.files.first?.attempt == (isHeld ? 0 : 1))
        let operations = try client.document(JobDocument.self, .job(new, from: 0, limit: 9)).operations
        #expect(operations.map(\.reusedFrom?.job) == (isHeld ? [old, old] : [nil, nil]))
        try harness.stop()
    }
}
