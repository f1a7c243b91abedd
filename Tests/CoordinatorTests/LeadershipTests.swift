@_spi(Baton) import BatonKeys
import BatonMemoryDisk
@_spi(Baton) import BatonOperations
import Testing
@_spi(Baton) import BatonWire
@_spi(Baton) import BatonZeroMQ

@_spi(Baton) @testable import BatonCoordinator
@_spi(Baton) @testable import BatonStore

@Suite("Who leads", .timeLimit(.minutes(60)))
struct LeadershipTests {
    private static let worker = RoutingID(inProcess: 1)
    private static let client = RoutingID(inProcess: 2)
    private static let now = Timestamp(rawValue: 1_000_000_000)

    private static let known: [LeaderRank?] = [
        nil, LeaderRank(record: Incarnation(rawValue: 1), epoch: .max, incarnation: Incarnation(rawValue: 2)),
    ]

    /// What a coordinator answers to an inquiry.
    private func answer(_ coordinator: SteppedCoordinator, known: LeaderRank? = nil) throws -> Leadership {
        let inquiry = WorkerMessage.inquire(LeaderInquiry(version: "test", known: known))
        coordinator.receive(inquiry.encoded(), from: Self.worker)
        coordinator.settle(flushes: true)
        let messages = try coordinator.takeMessages().map { bytes, peer in
            #expect(peer == Self.worker)
            return try bytes.withUnsafeBytes { try CoordinatorMessage(decoding: $0) }
        }
        guard messages.count == 1, case .leadership(let leadership)? = messages.first else {
            throw Unexpected(answer: "\(messages)")
        }
        return leadership
    }

    /// The rank in the answer to a client's hello.
    private func rank(_ coordinator: SteppedCoordinator, _ protocols: ProtocolRange) throws -> LeaderRank? {
        coordinator.receive(ClientMessage.hello(protocols, version: "test").encoded(), from: Self.client)
        coordinator.settle(flushes: true)
        let answers = try coordinator.takeMessages().map { bytes, _ in
            try bytes.withUnsafeBytes { try ClientReply(decoding: $0) }
        }
        guard answers.count == 1, case .welcome(let version, _, let epoch, let rank)? = answers.first else {
            throw Unexpected(answer: "\(answers)")
        }
        #expect(version == protocols.newest)
        #expect(epoch == coordinator.core.rank.epoch)
        return rank
    }

    @Test("Each start on a record outranks the earlier ones, and tells clients and workers its rank")
    func starts() throws {
        let store = try SQLStore(on: MemoryDisk())
        var earlier: [LeaderRank] = []
        for _ in 0..<4 {
            let coordinator = try SteppedCoordinator(store, at: Self.now)
            coordinator.settle(flushes: true)
            _ = coordinator.takeMessages()
            let rank = coordinator.core.rank
            let batches = coordinator.batches.count
            for known in Self.known + earlier.map({ Optional($0) }) {
                let leadership = try answer(coordinator, known: known)
                #expect(leadership == Leadership(isLeading: true, rank: rank, leader: ""))
            }
            #expect(coordinator.batches.count == batches, "an inquiry changes nothing")
            #expect(try self.rank(coordinator, .own) == rank)
            #expect(try self.rank(coordinator, ProtocolRange(oldest: 1, newest: 1)) == nil)
            for other in earlier {
                #expect(rank.outranks(other) && !other.outranks(rank))
                #expect(rank.record == other.record && rank.incarnation != other.incarnation)
            }
            #expect(!rank.outranks(rank))
            earlier.append(rank)
        }
    }

    @Test(
        "A coordinator notes that workers know another start of its record that is not before its own, and goes on to lead"
    )
    func rivals() throws {
        let store = try SQLStore(on: MemoryDisk())
        _ = try store.open()
        let coordinator = try SteppedCoordinator(store, at: Self.now)
        coordinator.settle(flushes: true)
        _ = coordinator.takeMessages()
        let rank = coordinator.core.rank
        var (earlier, same, later) = (rank, rank, rank)
        (earlier.epoch, earlier.incarnation) = (rank.epoch - 1, Incarnation(rawValue: 71))
        same.incarnation = Incarnation(rawValue: 72)
        (later.epoch, later.incarnation) = (rank.epoch + 5, Incarnation(rawValue: 73))
        let ownLeadership = Leadership(isLeading: true, rank: rank, leader: "")
        for known in Self.known + [earlier, rank] {
            #expect(try answer(coordinator, known: known) == ownLeadership)
            #expect(coordinator.core.rivalStart == nil)
        }
        for known in [same, later, earlier] {
            #expect(try answer(coordinator, known: known) == ownLeadership)
            #expect(coordinator.core.rivalStart == same)
        }
        let next = try SteppedCoordinator(store, at: Self.now)
        next.settle(flushes: true)
        _ = next.takeMessages()
        for known in [same, rank, later] { _ = try answer(next, known: known) }
        #expect(next.core.rivalStart == later)
    }

    @Test("A worker gets the same rank with its welcome as with the answer to an inquiry")
    func welcome() throws {
        let coordinator = try SteppedCoordinator(SQLStore(on: MemoryDisk()), at: Self.now)
        let rank = try #require(try answer(coordinator).rank)
        coordinator.join("w1", SessionID(rawValue: 7), from: Self.worker)
        let welcomes = try coordinator.takeMessages().compactMap { bytes, _ -> Welcome? in
            let message = try bytes.withUnsafeBytes { try CoordinatorMessage(decoding: $0) }
            return if case .welcome(let welcome) = message { welcome } else { nil }
        }
        let told = welcomes.map { LeaderRank(record: $0.record, epoch: $0.epoch, incarnation: $0.incarnation) }
        #expect(told == [rank])
    }

    @Test("Coordinators of different records do not outrank each other")
    func otherRecords() throws {
        var ranks: [LeaderRank] = []
        for starts in 1...3 {
            let store = try SQLStore(on: MemoryDisk())
            for _ in 1..<starts { _ = try store.open() }
            ranks.append(try SteppedCoordinator(store, at: Self.now).core.rank)
        }
        #expect(Set(ranks.map(\.epoch)).count == 3)
        for rank in ranks {
            for other in ranks { #expect(!rank.outranks(other)) }
        }
    }

    @Test("Only a worker's key, or a coordinator without keys, gets an answer to an inquiry")
    func keys() throws {
        let inquiry = WorkerMessage.inquire(LeaderInquiry(version: "test")).encoded()
        let coordinator = try KeyedCoordinator()
        for role in Role.allCases {
            let peer = try coordinator.connect(as: role)
            try peer.send(inquiry)
            if role == .worker {
                guard case .leadership(let leadership)? = try peer.receiveAsWorker() else {
                    throw Unexpected(answer: "no leadership")
                }
                #expect(leadership.isLeading && leadership.leader == coordinator.endpoint)
            } else {
                // The answer to the next message is the first one.
                switch try peer.greet() {
                case .welcome?, .refused?: break
                case let other: throw Unexpected(answer: "\(String(describing: other))")
                }
            }
        }
        try coordinator.stop()
        let harness = try Harness()
        defer { harness.remove() }
        let peer = try Peer(harness.server.endpoint)
        try peer.send(inquiry)
        guard case .leadership(let leadership)? = try peer.receiveAsWorker() else {
            throw Unexpected(answer: "no leadership")
        }
        #expect(leadership.isLeading && leadership.leader == harness.server.endpoint)
        try harness.stop()
    }
}
