@_spi(Baton) import BatonCoordinator
import BatonMemoryDisk
import Foundation
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonStore
import Testing
@_spi(Baton) import BatonWire
@_spi(Baton) import BatonZeroMQ

/// D8: no message of a peer can crash, block or confuse the coordinator.
@Suite("Hostile peers", .timeLimit(.minutes(60)))
struct HostilePeerTests {
    @Test("D8 Random bytes, cut and changed messages, and wrong numbers of frames disturb no client and no worker")
    func garbage() throws {
        let seed =
            ProcessInfo.processInfo.environment["BATON_TEST_SEED"].flatMap(UInt64.init) ?? .random(in: 0 ... .max)
        var random = SplitMix(seed: seed)
        let harness = try Harness()
        defer { harness.remove() }
        let client = try Peer(harness.server.endpoint)
        let hostile = try Peer(harness.server.endpoint)
        let worker = try Peer(harness.server.endpoint)
        // A session's number is enough to speak for the session: real numbers are random, so no changed byte of another
        // number gives one.
        let session = try worker.join("w1", session: random.next(), slots: 1).session

        let token = AttemptToken(epoch: 1, serial: 1)
        let operation = OperationID(job: JobNumber(1), index: 0)
        let completion = Completion.success(token, operation)
        let valid: [[UInt8]] = [
            ClientMessage.request(1, .submit(.noOperations([[], [0], [0, 1]]))).encoded(),
            ClientMessage.request(2, .wait([.job(JobNumber(1))], queue: "default", atMost: .seconds(1), waiter: nil))
                .encoded(),
            ClientMessage.request(3, .document(.jobs(before: nil, limit: 9))).encoded(),
            WorkerMessage.report(SessionID(rawValue: 99), AttemptReport(completions: [completion])).encoded(),
            WorkerMessage.goodbye(SessionID(rawValue: 99)).encoded(),
            WorkerMessage.output(request: 4, nil).encoded(),
            WorkerMessage.fetchInputs(SessionID(rawValue: 99), token, operation).encoded(),
        ]
        for round in 0..<2000 {
            switch round % 4 {
            case 0:
                try hostile.send(
                    (0..<Int.random(in: 0...200, using: &random)).map { _ in .random(in: 0...255, using: &random) }
                )
            case 1:
                let message = valid.randomElement(using: &random)!
                try hostile.send(Array(message.prefix(Int.random(in: 0..<message.count, using: &random))))
            case 2:
                var message = valid.randomElement(using: &random)!
                // The first two bytes are the message's kind; changes of later bytes reach deeper.
                let position = Int.random(in: 2..<message.count, using: &random)
                message[position] = .random(in: 0...255, using: &random)
                try hostile.send(message)
            default:
                try hostile.send(frames: (0..<Int.random(in: 2...4, using: &random)).map { _ in valid[0] })
            }
            if round % 500 == 499 {
                guard case .document = try client.ask(.document(.status)) else {
                    throw Unexpected(answer: "no status, seed \(seed)")
                }
            }
        }
        // The first worker still works, and a new job runs.
        var submission = Submission.noOperations([[]])
        submission.queueNames = ["mine"]
        submission.entries[0].priority = .veryHigh
        guard case .job(let job, _, _) = try client.ask(.submit(submission)) else {
            throw Unexpected(answer: "no job, seed \(seed)")
        }
        var isDone = false
        while !isDone {
            guard let message = try worker.receiveAsWorker() else {
                throw Unexpected(answer: "no dispatch, seed \(seed)")
            }
            guard case .dispatch(let batch) = message else { continue }
            let completions = batch.items.map { Completion.success($0.assignment.token, $0.assignment.operation) }
            isDone = batch.items.contains { $0.assignment.operation.job == job }
            try worker.send(WorkerMessage.report(session, AttemptReport(completions: completions)).encoded())
        }
        guard
            case .progress(let progress) = try client.askUntilAnswered(
                .wait([.job(job)], queue: nil, atMost: .seconds(3600), waiter: nil)
            )
        else {
            throw Unexpected(answer: "no progress, seed \(seed)")
        }
        #expect(progress.isFinished, "seed \(seed)")
        try harness.stop()
    }

    @Test("D8 A client with 1024 open waits is refused another, and the waits of other clients are answered")
    func endlessWaits() throws {
        let harness = try Harness()
        defer { harness.remove() }
        let client = try Peer(harness.server.endpoint)
        let hostile = try Peer(harness.server.endpoint)
        guard case .job(let job, _, _) = try client.ask(.submit(.noOperations([[]]))) else {
            throw Unexpected(answer: "no job")
        }
        let wait = Request.wait([.job(job)], queue: nil, atMost: .seconds(50), waiter: nil)
        for _ in 0..<1024 { _ = try hostile.begin(wait) }
        guard case .refused(let refusal) = try hostile.answer(to: hostile.begin(wait)) else {
            throw Unexpected(answer: "not refused")
        }
        #expect(refusal.message.contains("1024 waits open"))
        let mine = try client.begin(wait)
        guard case .changed = try hostile.ask(.cancel([.job(job)], queue: nil)) else {
            throw Unexpected(answer: "not cancelled")
        }
        guard case .progress(let progress) = try client.answer(to: mine, repeating: wait) else {
            throw Unexpected(answer: "no progress")
        }
        #expect(progress.isFinished)
        try harness.stop()
    }

    @Test("D8 The coordinator refuses workers beyond its limit, and a known worker can still join again")
    func endlessWorkers() throws {
        let store = try SQLStore(on: MemoryDisk())
        let coordinator = try SteppedCoordinator(store, at: Timestamp(rawValue: 1_700_000_000_000_000))
        func join(_ name: String, session: UInt64, over connection: UInt64) {
            let hello = WorkerHello(
                version: "test",
                name: name,
                session: SessionID(rawValue: session),
                slots: 1,
                host: "host",
                processID: 1,
                life: WorkerLife(rawValue: 1),
                sessionNumber: session,
                attempts: []
            )
            coordinator.receive(WorkerMessage.hello(hello).encoded(), from: RoutingID(inProcess: connection))
        }
        func answers() throws -> [CoordinatorMessage] {
            coordinator.settle(flushes: true)
            return try coordinator.takeMessages().map { message in
                try message.bytes.withUnsafeBytes { try CoordinatorMessage(decoding: $0) }
            }
        }
        join("w1", session: 1, over: 1)
        // With the earlier worker, one more than the limit.
        for number in 0..<16_384 as Range<UInt64> {
            join("hostile\(number)", session: 1_000 + number, over: 1_000 + number)
        }
        let refusals: [Refusal] = try answers().compactMap { message in
            if case .refused(let refusal) = message { refusal } else { nil }
        }
        #expect(refusals.count == 1)
        #expect(refusals.first?.message.hasPrefix("There are as many workers as there may be") == true)
        join("w1", session: 2, over: 2)
        #expect(try answers().contains { if case .welcome = $0 { true } else { false } })
    }

    @Test("D8 Output from a peer that was not asked for it is ignored, and the worker's own output is returned")
    func forgedOutput() throws {
        let harness = try Harness()
        defer { harness.remove() }
        let client = try Peer(harness.server.endpoint)
        let hostile = try Peer(harness.server.endpoint)
        let worker = try Peer(harness.server.endpoint)
        _ = try worker.join("w1", session: 7)
        _ = try client.ask(.submit(.noOperations([[]])))
        guard case .dispatch(let batch)? = try worker.receiveAsWorker() else {
            throw Unexpected(answer: "no dispatch")
        }
        let started = AttemptReport(started: batch.items.map { AttemptStart($0.assignment.token) })
        try worker.send(WorkerMessage.report(SessionID(rawValue: 7), started).encoded())
        // The client has another connection, and its request must not be read first.
        guard case .document = try worker.ask(.document(.status)) else { throw Unexpected(answer: "no status") }
        let operation = OperationID(job: JobNumber(1), index: 0)
        try client.send(
            ClientMessage.request(
                99,
                .log(.operation(operation), attempt: nil, .standardOutput, offset: 0, limit: 100)
            ).encoded()
        )
        guard case .readOutput(let request, _, _, _, _, _)? = try worker.receiveAsWorker() else {
            throw Unexpected(answer: "the worker was not asked")
        }
        func chunk(_ text: String) -> OutputChunk {
            OutputChunk(offset: 0, bytes: Array(text.utf8), totalLength: UInt64(text.utf8.count), isComplete: false)
        }
        try hostile.send(WorkerMessage.output(request: request, chunk("forged")).encoded())
        // The answer comes after the earlier messages of the connection.
        guard case .document = try hostile.ask(.document(.status)) else { throw Unexpected(answer: "no status") }
        try worker.send(WorkerMessage.output(request: request, chunk("true")).encoded())
        let answer = try #require(try client.receive())
        #expect(
            try answer.withUnsafeBytes({ try ClientReply(decoding: $0) }) == .reply(99, .output(chunk("true")))
        )
        try harness.stop()
    }

    @Test("D8 A hello with another worker's session is asked for a new hello, and the worker keeps its dispatches")
    func stolenSession() throws {
        let harness = try Harness()
        defer { harness.remove() }
        let client = try Peer(harness.server.endpoint)
        let hostile = try Peer(harness.server.endpoint)
        let worker = try Peer(harness.server.endpoint)
        _ = try worker.join("w1", session: 7)
        try hostile.send(
            WorkerMessage.hello(
                WorkerHello(
                    version: "test",
                    name: "thief",
                    session: SessionID(rawValue: 7),
                    slots: 1,
                    host: "host",
                    processID: 1,
                    life: WorkerLife(rawValue: 1),
                    sessionNumber: 1,
                    attempts: []
                )
            ).encoded()
        )
        #expect(try hostile.receiveAsWorker() == .sayHello)
        _ = try client.ask(.submit(.noOperations([[]])))
        guard case .dispatch? = try worker.receiveAsWorker() else {
            throw Unexpected(answer: "no dispatch")
        }
        try harness.stop()
    }

    @Test("D8 A report of an unknown session is answered once, with a request for a hello, whatever its length")
    func unknownReport() throws {
        let harness = try Harness()
        defer { harness.remove() }
        let hostile = try Peer(harness.server.endpoint)
        let completion = Completion.success(AttemptToken(rawValue: 1), OperationID(job: JobNumber(1), index: 0))
        let report = AttemptReport(completions: Array(repeating: completion, count: WireLimits.maximumReportedAttempts))
        try hostile.send(WorkerMessage.report(SessionID(rawValue: 9), report).encoded())
        #expect(try hostile.receiveAsWorker() == .sayHello)
        // No other message has come before the answer to the hello.
        _ = try hostile.join("w1", session: 9)
        try harness.stop()
    }

    @Test("D8 Bytes that are not ZeroMQ's protocol do not keep the coordinator from answering a client")
    func rawBytes() throws {
        let harness = try Harness()
        defer { harness.remove() }
        let port = try #require(UInt16(harness.server.endpoint.split(separator: ":").last ?? ""))
        for text in ["GET / HTTP/1.1\r\nHost: x\r\n\r\n", String(repeating: "\u{0}", count: 5000), "\u{1}\u{2}"] {
            let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            defer { close(descriptor) }
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = port.bigEndian
            address.sin_addr.s_addr = inet_addr("127.0.0.1")
            let connected = withUnsafePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
                }
            }
            #expect(connected == 0)
            _ = Array(text.utf8).withUnsafeBytes {
                send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
        }
        let client = try Peer(harness.server.endpoint)
        guard case .document = try client.ask(.document(.status)) else { throw Unexpected(answer: "no status") }
        try harness.stop()
    }

    @Test("A worker with another protocol version is refused as incompatible, with its version in the sentence")
    func otherVersion() throws {
        let harness = try Harness()
        defer { harness.remove() }
        let worker = try Peer(harness.server.endpoint)
        let hello = WorkerHello(
            protocols: ProtocolRange(oldest: 900, newest: 901),
            version: "9.0",
            name: "w1",
            session: SessionID(rawValue: 7),
            slots: 1,
            host: "host",
            processID: 1,
            life: WorkerLife(rawValue: 1),
            sessionNumber: 1,
            attempts: []
        )
        try worker.send(WorkerMessage.hello(hello).encoded())
        guard case .refused(let refusal)? = try worker.receiveAsWorker() else {
            throw Unexpected(answer: "not refused")
        }
        #expect(refusal.code == .incompatible)
        #expect(refusal.message.contains("900"))
        try harness.stop()
    }
}
