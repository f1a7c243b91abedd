@_spi(Baton) import BatonCoordinator
@_spi(Baton) import BatonOperations
import Dispatch
import Testing
@_spi(Baton) import BatonWire

@Suite("Large requests", .timeLimit(.minutes(60)))
struct LargeRequestTests {
    private static let large = 50_000

    @Test("Requests behind a large submission are carried out after it, and a cancel finds its job")
    func order() throws {
        let harness = try Harness()
        defer { harness.remove() }
        let client = try Peer(harness.server.endpoint)
        let chain = Submission.noOperations((0..<Self.large).map { $0 > 0 ? [$0 - 1] : [] })
        let submitted = try client.begin(.submit(chain))
        let small = try client.begin(.submit(.noOperations([[]])))
        let cancelled = try client.begin(.cancel([.job(JobNumber(1))], queue: nil))
        guard case .job(JobNumber(1), UInt32(Self.large), isNew: true) = try client.answer(to: submitted),
            case .job(JobNumber(2), 1, isNew: true) = try client.answer(to: small)
        else { throw Unexpected(answer: "jobs in another order") }
        guard case .changed = try client.answer(to: cancelled) else {
            throw Unexpected(answer: "nothing was cancelled")
        }
        try harness.stop()
    }

    @Test(
        "D14 A coordinator that decodes a submission answers probes with how much it has read, however long the decoding takes"
    )
    func probes() throws {
        // The decoding goes on only after the probes were answered.
        let gate = DispatchSemaphore(value: 0)
        let harness = try Harness {
            $0.decodeLarge = { bytes, progress in
                progress.note((bytes.count + 1) / 2)
                if bytes.count > 64 << 10 { gate.wait() }
                return ReceivedMessage(decoding: bytes, noting: progress)
            }
        }
        defer { harness.remove() }
        let client = try Peer(harness.server.endpoint)
        let submitted = try client.begin(.submit(.noOperations((0..<Self.large).map { _ in [] })))
        let behind = try client.begin(.cancel([.job(JobNumber(1))], queue: nil))
        // A client of version 1 of the protocol gets the welcome alone.
        func probe(_ protocols: ProtocolRange = .own, answers: Int) throws -> [ClientReply] {
            try client.send(ClientMessage.hello(protocols, version: "test").encoded())
            return try (0..<answers).map { _ in
                try #require(try client.receive()).withUnsafeBytes { try ClientReply(decoding: $0) }
            }
        }
        while try probe(answers: 2).last != .reading(percent: 50) {}
        for _ in 0..<20 {
            let answers = try probe(answers: 2)
            guard case .welcome(2, _, _, _)? = answers.first, answers.last == .reading(percent: 50) else {
                throw Unexpected(answer: "\(answers)")
            }
        }
        for _ in 0..<2 {
            let answers = try probe(ProtocolRange(oldest: 1, newest: 1), answers: 1)
            guard case .welcome(1, _, _, _)? = answers.first else { throw Unexpected(answer: "\(answers)") }
        }
        gate.signal()
        // Requests keep their order.
        guard case .job(JobNumber(1), UInt32(Self.large), isNew: true) = try client.answer(to: submitted),
            case .changed = try client.answer(to: behind)
        else { throw Unexpected(answer: "the submission was not carried out first") }
        try harness.stop()
    }

    @Test("A large submission with a dependency cycle is refused, and its key stays free for another submission")
    func cycle() throws {
        let harness = try Harness()
        defer { harness.remove() }
        let client = try Peer(harness.server.endpoint)
        let ring = Submission.noOperations((0..<Self.large).map { [($0 + 1) % Self.large] })
        guard case .refused(let refusal) = try client.ask(.submit(ring)) else {
            throw Unexpected(answer: "not refused")
        }
        #expect(refusal.code == .cycle)
        // The key of the refused submission stays free.
        var keyedRing = ring
        keyedRing.key = "again"
        var keyed = keyedRing
        for _ in 0..<2 {
            guard case .refused(let refusal) = try client.ask(.submit(keyed)) else {
                throw Unexpected(answer: "not refused")
            }
            #expect(refusal.code == .cycle)
        }
        keyed.entries = [Entry()]
        guard case .job(_, operations: 1, isNew: true) = try client.ask(.submit(keyed)) else {
            throw Unexpected(answer: "the key is taken")
        }
        guard case .refused(let other) = try client.ask(.submit(keyedRing)) else {
            throw Unexpected(answer: "not refused")
        }
        #expect(other.message.contains("again"), "the key is another submission's: \(other)")
        guard case .document = try client.ask(.document(.status)) else { throw Unexpected(answer: "no status") }
        try harness.stop()
    }

    @Test("A large request that cannot be decoded is refused with a sentence")
    func unreadable() throws {
        let harness = try Harness()
        defer { harness.remove() }
        let client = try Peer(harness.server.endpoint)
        let change = QueueChange(name: String(repeating: "a", count: 1 << 20), maxConcurrent: .atMost(1))
        guard case .refused(let refusal) = try client.ask(.setQueue(change)) else {
            throw Unexpected(answer: "not refused")
        }
        #expect(refusal.message.hasPrefix("The request cannot be read, and nothing of it was done."))
        try harness.stop()
    }
}
