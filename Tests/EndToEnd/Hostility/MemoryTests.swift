@_spi(Baton) import BatonKeys
import Foundation
@_spi(Baton) import BatonOperations
import Testing
@_spi(Baton) import BatonWire
@_spi(Baton) import BatonZeroMQ

/// D8: valid requests of a hostile client take a bounded number of bytes, and other clients are served meanwhile.
///
/// Any client may send each of the requests. The tests compare the coordinator's peak memory, which no concurrent test
/// increases.
@Suite("Memory under hostile requests", .timeLimit(.minutes(60)))
struct MemoryTests {
    @Test("D8 Unread pages of a client take a bounded amount of memory, and another client is served")
    func pages() async throws {
        let growth = try await growth { cluster in
            let text = String(repeating: "x", count: 500)
            let job = try await cluster.submit("--hold", "--array", "1-1000", "--", "echo", text)
            return { attack in
                let hostile = try attack.dealer(mostUnread: 1)
                let page = Request.document(.job(JobNumber(UInt32(job) ?? 0), from: 0, limit: 1000))
                for _ in 0..<800 { _ = try hostile.begin(page) }
                try attack.serveOthers(times: 20)
            }
        }
        #expect(growth < 64 << 20)
    }

    @Test("D8 Unread pieces of output take a bounded amount of memory, and another client is served")
    func logs() async throws {
        let growth = try await growth { cluster in
            try await cluster.startWorker("w1")
            let job = try await cluster.submit("--", "sh", "-c", "head -c 8388608 /dev/zero")
            #expect(try await cluster.wait(job) == 0)
            return { attack in
                let hostile = try attack.dealer(mostUnread: 1)
                let operation = Address.operation(OperationID(job: JobNumber(UInt32(job) ?? 0), index: 0))
                for number in 0..<4000 {
                    let offset = UInt64(number % 8) << 20
                    let piece = Request.log(operation, attempt: nil, .standardOutput, offset: offset, limit: 1 << 20)
                    _ = try hostile.begin(piece)
                }
                try attack.serveOthers(times: 20)
            }
        }
        #expect(growth < 128 << 20)
    }

    @Test("D8 Large submissions that are refused take a bounded amount of memory, and another client is served")
    func refused() async throws {
        let growth = try await growth { _ in
            { attack in
                let count = 1_000_000
                let ring = Submission(
                    templates: [Template(work: Work(.noOperation))],
                    entries: (0..<count).map {
                        Entry(dependencies: [Dependency(on: .entry(($0 + 1) % count), condition: .any)])
                    }
                )
                let bytes = ClientMessage.request(1, .submit(ring)).encoded()
                let hostile = try (0..<4).map { _ in try attack.dealer() }
                let copies = 16
                for _ in 0..<copies { for dealer in hostile { try dealer.send(bytes) } }
                try attack.serveOthers(times: 20)
                // The coordinator refuses submissions beyond its memory limit before it reads the next submissions.
                for dealer in hostile { _ = try #require(try dealer.receive(within: .seconds(3600))) }
            }
        }
        // All messages have more than 700 MiB. At most 128 MiB of them wait to be read, each connection holds another 12 MiB, and the
        // submission that is read takes 270 MiB.
        #expect(growth < 512 << 20)
    }

    @Test("D8 An accepted submission of half a million operations in few bytes takes a bounded amount of memory")
    func accepted() async throws {
        let growth = try await growth { _ in
            { attack in
                let submission = Submission(
                    templates: [Template(work: Work(.noOperation))],
                    entries: Array(repeating: Entry(), count: 524_288)
                )
                let dealer = try attack.dealer()
                try dealer.send(ClientMessage.request(1, .submit(submission)).encoded())
                let answer = try #require(try dealer.receive(within: .seconds(3600)))
                let reply = try answer.withUnsafeBytes { try ClientReply(decoding: $0) }
                guard case .reply(1, .job) = reply else { throw Failure("it was not accepted") }
            }
        }
        // An operation takes about 500 bytes until it is on disk: 80 as an entry, 190 in the graph and in the line of its queue, and 200 for
        // the event that it is ready.
        #expect(growth < 270 << 20)
    }

    @Test("D8 A submission of two million queues is refused within a bounded amount of memory")
    func queues() async throws {
        let growth = try await growth { _ in
            { attack in
                let submission = Submission(
                    queueNames: (0..<2_000_000).map { "q\($0)" },
                    templates: [Template(work: Work(.noOperation))],
                    entries: [Entry()]
                )
                let hostile = try attack.dealer()
                try hostile.send(ClientMessage.request(1, .submit(submission)).encoded())
                try attack.serveOthers(times: 20)
                let answer = try #require(try hostile.receive())
                let reply = try answer.withUnsafeBytes { try ClientReply(decoding: $0) }
                guard case .reply(1, .refused(let refusal)) = reply else { throw Failure("it was not refused") }
                #expect(refusal.message.contains("at most 100000 are allowed"))
            }
        }
        #expect(growth < 100 << 20)
    }

    @Test("D8 A coordinator at its limit of descriptors turns connections away, says so, and serves its clients")
    func descriptors() async throws {
        try await withCluster(workers: nil) { cluster in
            cluster.launcher = ["prlimit", "--nofile=64:64"]
            try await cluster.startCoordinator()
            let (endpoint, security) = (cluster.endpoint, try cluster.security(as: .client))
            let coordinator = try #require(cluster.coordinator)
            let used = try await onThreadOfItsOwn {
                let attack = try Attack(endpoint, security)
                try attack.serveOthers(times: 1)
                let crowd = try (0..<64).map { _ in try attack.dealer() }
                // Connected clients are served, while the crowd connects again and again.
                let before = try processorTime(of: coordinator.processID)
                let end = ContinuousClock.now + .seconds(3)
                while ContinuousClock.now < end { try attack.serveOthers(times: 1) }
                withExtendedLifetime(crowd) {}
                return try processorTime(of: coordinator.processID) - before
            }
            print("at the limit the coordinator used \(used) of the processor in 3 s")
            #expect(used < .seconds(1.5))
            try await coordinator.error(containing: "connections are refused")
        }
    }

    /// The growth of a coordinator's peak memory during an attack.
    private func growth(
        _ prepare: @escaping (TestCluster) async throws -> @Sendable (Attack) throws -> Void
    ) async throws -> Int {
        var growth = 0
        try await withCluster(workers: nil) { cluster in
            try await cluster.startCoordinator()
            let attack = try await prepare(cluster)
            let (endpoint, process) = (cluster.endpoint, try #require(cluster.coordinator?.processID))
            let security = try cluster.security(as: .client)
            let before = try mostMemory(of: process)
            try await onThreadOfItsOwn { try attack(Attack(endpoint, security)) }
            growth = try mostMemory(of: process) - before
        }
        print("the most memory of the coordinator has grown by \(growth >> 20) MiB")
        return growth
    }

    private func mostMemory(of process: pid_t) throws -> Int {
        let status = try String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)
        let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") })
        return try #require(line.split(separator: " ").dropFirst().first.flatMap { Int($0) }) << 10
    }
}

/// The processor time that a process has used so far.
func processorTime(of process: pid_t) throws -> Duration {
    let text = try String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)
    let fields = try #require(text.split(separator: ")").last).split(separator: " ")
    let ticks = try #require(Int(fields[11])) + #require(Int(fields[12]))
    return .milliseconds(ticks * 1000 / sysconf(Int32(_SC_CLK_TCK)))
}

/// The connections of a hostile client, and a connection of a second client.
private final class Attack {
    private let context: Context
    private let endpoint: String
    private let security: SocketSecurity
    private let other: Dealer

    init(_ endpoint: String, _ security: SocketSecurity) throws {
        self.endpoint = endpoint
        self.security = security
        context = try Context()
        other = try Dealer(endpoint, in: context, security: security)
    }

    func dealer(mostUnread: Int? = nil) throws -> Dealer {
        try Dealer(endpoint, in: context, security: security, mostUnread: mostUnread)
    }

    /// Sends submissions of the other client one after the other, and requires an answer to each.
    func serveOthers(times: Int) throws {
        let submission = Submission(templates: [Template(work: Work(.noOperation))], entries: [Entry()])
        for _ in 0..<times {
            let number = try other.begin(.submit(submission))
            guard let bytes = try other.receive(within: .seconds(3600)),
                case .reply(number, .job) = try bytes.withUnsafeBytes({ try ClientReply(decoding: $0) })
            else { throw Failure("somebody else was not served") }
        }
    }
}
