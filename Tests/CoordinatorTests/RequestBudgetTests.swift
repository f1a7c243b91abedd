@_spi(Baton) import BatonCoordinator
@_spi(Baton) import BatonOperations
import Testing
@_spi(Baton) import BatonWire

/// The coordinator keeps a client's requests up to a number of bytes, and refuses more with a sentence.
@Suite("Memory limits of requests", .timeLimit(.minutes(60)))
struct RequestBudgetTests {
    @Test("A submission that names more queues than a cluster may have is refused")
    func queues() throws {
        let harness = try Harness()
        defer { harness.remove() }
        let client = try Peer(harness.server.endpoint)
        var submission = Submission.noOperations([[]])
        submission.queueNames = (0...Submission.maximumQueues).map { "q\($0)" }
        guard case .refused(let refusal) = try client.ask(.submit(submission)) else {
            throw Unexpected(answer: "not refused")
        }
        #expect(refusal.message.contains("at most \(Submission.maximumQueues) are allowed"))
        try harness.stop()
    }

    @Test("The number of queues in a cluster is bounded over all submissions, and known queues stay usable")
    func queuesOfMany() throws {
        let harness = try Harness()
        defer { harness.remove() }
        let client = try Peer(harness.server.endpoint)
        var submission = Submission.noOperations([[]])
        func submit(_ names: Range<Int>) throws -> Reply {
            submission.queueNames = names.map { "q\($0)" }
            return try client.ask(.submit(submission))
        }
        let most = Submission.maximumQueues
        guard case .job = try submit(0..<most / 2), case .job = try submit(most / 2..<most) else {
            throw Unexpected(answer: "refused")
        }
        guard case .refused(let refusal) = try submit(most..<most + 1) else { throw Unexpected(answer: "not refused") }
        #expect(refusal.message.hasPrefix("There are 100000 queues, and with 1 more there would be over 100000."))
        guard case .refused = try client.ask(.setQueue(QueueChange(name: "another", maxConcurrent: .atMost(1)))) else {
            throw Unexpected(answer: "not refused")
        }
        guard case .job = try submit(7..<8),
            case .changed = try client.ask(.setQueue(QueueChange(name: "q7", maxConcurrent: .atMost(1))))
        else { throw Unexpected(answer: "refused") }
        try harness.stop()
    }

    @Test("A request other than a submission is refused above 1 MiB and above 10,000 addresses")
    func longQuestion() throws {
        let harness = try Harness()
        defer { harness.remove() }
        let client = try Peer(harness.server.endpoint)
        let long = String(repeating: "a", count: WireLimits.maximumQuestionLength)
        guard case .refused(let length) = try client.ask(.hold([.named(JobNumber(1), long)])) else {
            throw Unexpected(answer: "not refused")
        }
        #expect(length.message.contains("has more than 1024 KiB, which only a submission may have"))
        let many = [Address](repeating: .job(JobNumber(1)), count: WireLimits.maximumAddressCount + 1)
        guard case .refused(let count) = try client.ask(.hold(many)) else { throw Unexpected(answer: "not refused") }
        #expect(count.message.contains("has 10001 elements; at most 10000 are allowed"))
        try harness.stop()
    }

    @Test("A client's requests are refused once their bytes reach its budget, and another client is served")
    func manyOpen() throws {
        let harness = try Harness()
        defer { harness.remove() }
        let client = try Peer(harness.server.endpoint, mostUnread: 1)
        let other = try Peer(harness.server.endpoint)
        guard case .job(let job, _, _) = try other.ask(.submit(.noOperations([[]]))) else {
            throw Unexpected(answer: "no job")
        }
        // The first wait is open, and the second waits behind it: one wait takes most of a connection's memory for
        // requests.
        let addresses = [Address](repeating: .job(job), count: WireLimits.maximumAddressCount)
        let wait = Request.wait(addresses, queue: nil, atMost: .seconds(50), waiter: nil)
        for _ in 0..<2 { _ = try client.begin(wait) }
        // Requests behind the waits, each with sixteen times its length in memory.
        let long = (0..<5_000).map { Address.named(job, String(repeating: "n", count: 180) + "\($0)") }
        var last: UInt64 = 0
        for _ in 0..<8 { last = try client.begin(.hold(long)) }
        guard case .refused(let refusal) = try client.answer(to: last) else { throw Unexpected(answer: "not refused") }
        #expect(refusal.message.hasPrefix("The coordinator has as much of this connection's requests as it keeps"))
        guard case .changed = try other.ask(.cancel([.job(job)], queue: nil)),
            case .progress = try other.ask(wait)
        else { throw Unexpected(answer: "not served") }
        try harness.stop()
    }

    @Test("Large submissions of four clients and a small submission of a fifth client are all answered")
    func largeOnes() throws {
        let harness = try Harness()
        defer { harness.remove() }
        let ring = Submission.noOperations((0..<100_000).map { [($0 + 1) % 100_000] })
        let hostile = try (0..<4).map { _ in try Peer(harness.server.endpoint) }
        let numbers = try hostile.map { peer in try (0..<4).map { _ in try peer.begin(.submit(ring)) } }
        let client = try Peer(harness.server.endpoint)
        guard case .job = try client.ask(.submit(.noOperations([[]]))) else { throw Unexpected(answer: "no job") }
        for (peer, numbers) in zip(hostile, numbers) {
            for number in numbers {
                guard case .refused(let refusal) = try peer.answer(to: number) else {
                    throw Unexpected(answer: "not refused")
                }
                #expect(refusal.code == .cycle)
            }
        }
        try harness.stop()
    }
}
