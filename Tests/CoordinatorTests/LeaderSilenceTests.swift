import BatonMemoryDisk
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonScheduler
@_spi(Baton) import BatonStore
@_spi(Baton) import BatonTestRecords
import Testing
@_spi(Baton) import BatonWire
@_spi(Baton) import BatonZeroMQ

@_spi(Baton) @testable import BatonCoordinator

/// A store whose commits prove the lease, or find that another coordinator leads.
private final class FencedStore: ForwardingStore {
    let base: SQLStore
    var onProof: (@Sendable (Timestamp) -> Void)?
    /// The present moment of leases.
    var leaseTime = Timestamp(rawValue: 0)
    /// Why no commit succeeds.
    var failure: StoreError?

    init() throws { base = try SQLStore(on: MemoryDisk()) }

    func commit(_ changes: [RecordChange]) throws(StoreError) {
        if let failure { throw failure }
        try base.commit(changes)
        onProof?(leaseTime)
    }

    func close() { base.close() }
}

@Suite("A leader that cannot prove its lease is silent", .timeLimit(.minutes(60)))
struct LeaderSilenceTests {
    private static let start = Timestamp(rawValue: 1_700_000_000_000_000)
    private static let length = Duration.seconds(2)
    private static let worker = RoutingID(inProcess: 1)
    private static let session = SessionID(rawValue: 7)

    /// A leader whose lease was proven at the beginning of lease time, and which has told what a start tells.
    private func leader(lostAfter: Duration = .seconds(45)) throws -> SteppedCoordinator {
        var configuration = Configuration()
        configuration.lostAfter = lostAfter
        let coordinator = try SteppedCoordinator(
            SQLStore(on: MemoryDisk()),
            at: Self.start,
            configuration: configuration,
            lease: LeaderLease(length: Self.length, provenAt: Timestamp(rawValue: 0))
        )
        coordinator.settle(flushes: true)
        _ = coordinator.takeMessages()
        return coordinator
    }

    /// Lets the lease run out.
    private func endLease(of coordinator: SteppedCoordinator) {
        coordinator.leaseTime = coordinator.leaseTime + Self.length
    }

    /// Proves the lease at the present moment.
    private func prove(_ coordinator: SteppedCoordinator) { coordinator.open(.proven(coordinator.leaseTime)) }

    /// Submits jobs by three clients, whose commits wait.
    private func submit(_ count: Int, to coordinator: SteppedCoordinator) {
        coordinator.storesChanges = false
        for number in 1...count {
            let client = RoutingID(inProcess: UInt64(10 + number % 3))
            coordinator.ask(.submit(.noOperations([[]])), UInt64(number), from: client)
            if number.isMultiple(of: 7) { coordinator.endTurn() }
        }
        coordinator.settle()
    }

    /// What waits to be said, in order.
    private func held(_ coordinator: SteppedCoordinator) -> [Saying] {
        (coordinator.shell.silence?.held ?? []).compactMap { action -> Saying? in
            guard case .send(let bytes, let peer) = action else { return nil }
            return Saying(bytes: bytes, peer: peer)
        }
    }

    private func said(_ coordinator: SteppedCoordinator) -> [Saying] {
        coordinator.takeMessages().map { Saying(bytes: $0.bytes, peer: $0.peer) }
    }

    /// A message to a peer.
    private struct Saying: Equatable {
        var bytes: [UInt8]
        var peer: RoutingID

        /// The job that the message confirms, for a client that has submitted it.
        var job: JobNumber? {
            guard case .reply(_, .job(let job, _, _))? = bytes.withUnsafeBytes({ try? ClientReply(decoding: $0) })
            else { return nil }
            return job
        }

        /// The attempts that the message gives a worker.
        var dispatched: Int {
            guard case .dispatch(let batch)? = bytes.withUnsafeBytes({ try? CoordinatorMessage(decoding: $0) })
            else { return 0 }
            return batch.items.count
        }
    }

    @Test(
        "What commits lead to is said after the next proof, in its order, and not before",
        arguments: [1, 2, 6, 50, 700]
    )
    func released(count: Int) throws {
        let coordinator = try leader()
        submit(count, to: coordinator)
        #expect(said(coordinator).isEmpty, "nothing is on disk")
        endLease(of: coordinator)
        coordinator.endTurn()
        coordinator.storeChanges()
        let waiting = held(coordinator)
        #expect(waiting.compactMap(\.job) == (1...count).map { JobNumber(UInt32($0)) })
        for _ in 1...5 {
            coordinator.now = coordinator.now + .seconds(10)
            coordinator.leaseTime = coordinator.leaseTime + .seconds(10)
            coordinator.settle()
            #expect(said(coordinator).isEmpty)
        }
        prove(coordinator)
        coordinator.settle()
        let messages = said(coordinator)
        #expect(Array(messages.prefix(waiting.count)) == waiting)
        #expect(messages.compactMap(\.job).count == count, "each answer is given once")
        #expect(held(coordinator).isEmpty)
        #expect(coordinator.core.violations.isEmpty)
    }

    @Test("A lease that ends while messages go out is noticed before 256 more do", arguments: [1, 255, 256, 257, 600])
    func longTurn(moment: Int) throws {
        let coordinator = try leader()
        submit(1000, to: coordinator)
        endLease(of: coordinator)
        coordinator.endTurn()
        coordinator.storeChanges()
        let waiting = held(coordinator)
        #expect(waiting.count >= 1000)
        prove(coordinator)
        var sent = 0
        coordinator.onSend = {
            sent += 1
            if sent == moment { coordinator.leaseTime = coordinator.leaseTime + Self.length }
        }
        coordinator.endTurn()
        coordinator.onSend = {}
        let first = said(coordinator)
        #expect(first.count == (moment + 255) / 256 * 256)
        #expect(!coordinator.shell.mayReceive(at: coordinator.leaseTime))
        prove(coordinator)
        coordinator.settle()
        let messages = first + said(coordinator)
        #expect(Array(messages.prefix(waiting.count)) == waiting)
    }

    @Test(
        "A leader that was deposed says nothing more, whatever comes after, and gives the record nothing",
        arguments: [1, 40]
    )
    func deposed(count: Int) throws {
        let coordinator = try leader()
        submit(count, to: coordinator)
        endLease(of: coordinator)
        coordinator.endTurn()
        coordinator.storeChanges()
        #expect(held(coordinator).count >= count)
        let error = StoreError.deposed("postgres://h/db", by: 9)
        coordinator.open(.deposed(error))
        #expect(coordinator.shell.silence?.deposition == error)
        #expect(held(coordinator).isEmpty)
        prove(coordinator)
        #expect(!coordinator.shell.mayReceive(at: coordinator.leaseTime))
        let batches = coordinator.batches.count
        for _ in 1...5 {
            coordinator.core.flush()
            coordinator.endTurn(flushes: true)
            coordinator.now = coordinator.now + .seconds(60)
        }
        #expect(said(coordinator).isEmpty && held(coordinator).isEmpty)
        #expect(coordinator.batches.count == batches)
    }

    @Test("A lost connection to the record silences at once, and only a proof of later ends that")
    func unreachable() throws {
        let coordinator = try leader()
        func mayReceive() -> Bool { coordinator.shell.mayReceive(at: coordinator.leaseTime) }
        coordinator.leaseTime = coordinator.leaseTime + .milliseconds(10)
        coordinator.open(.failed(StoreError(.full, "The disk is full.")))
        #expect(mayReceive(), "a full disk says nothing of other leaders")
        coordinator.open(.failed(StoreError.unreachable("postgres://h/db", "connection reset")))
        #expect(!mayReceive())
        coordinator.open(.recovered)
        #expect(!mayReceive())
        coordinator.open(.proven(Timestamp(rawValue: -1)))
        #expect(!mayReceive())
        prove(coordinator)
        #expect(mayReceive())
    }

    @Test(
        "Each commit of the record proves the lease, and one that finds another leader ends the leadership",
        arguments: [1, 7]
    )
    func recorder(commits: Int) throws {
        let store = try FencedStore()
        let coordinator = try SteppedCoordinator(
            store,
            at: Self.start,
            lease: LeaderLease(length: Self.length, provenAt: Timestamp(rawValue: 0))
        )
        let client = RoutingID(inProcess: 10)
        for number in 1...commits {
            coordinator.leaseTime = coordinator.leaseTime + .seconds(1)
            store.leaseTime = coordinator.leaseTime
            coordinator.ask(.submit(.noOperations([[]])), UInt64(number), from: client)
            coordinator.settle(flushes: true)
            #expect(said(coordinator).compactMap(\.job) == [JobNumber(UInt32(number))])
            #expect(coordinator.shell.mayReceive(at: coordinator.leaseTime + .milliseconds(1499)))
            #expect(!coordinator.shell.mayReceive(at: coordinator.leaseTime + .milliseconds(1500)))
        }
        let error = StoreError.deposed("postgres://h/db", by: nil)
        store.failure = error
        coordinator.ask(.submit(.noOperations([[]])), 1000, from: client)
        coordinator.settle(flushes: true)
        #expect(said(coordinator).isEmpty)
        #expect(coordinator.shell.silence?.deposition == error)
    }

    @Test("A leader without a lease always speaks, and asks no clock of leases")
    func withoutLease() throws {
        let coordinator = try SteppedCoordinator(SQLStore(on: MemoryDisk()), at: Self.start)
        #expect(coordinator.shell.silence == nil)
        #expect(coordinator.shell.mayReceive(at: Timestamp(rawValue: .max)))
        submit(3, to: coordinator)
        coordinator.open(.proven(Timestamp(rawValue: .min)))
        coordinator.storeChanges()
        #expect(said(coordinator).compactMap(\.job).count == 3)
    }

    @Test("A silent leader dispatches nothing, also where its record can be written again", arguments: [false, true])
    func dispatches(hasFullDisk: Bool) throws {
        let coordinator = try leader()
        submit(1, to: coordinator)
        coordinator.storeChanges()
        coordinator.storesChanges = true
        coordinator.settle(flushes: true)
        // Nothing is dispatched before the session is on disk.
        coordinator.storesChanges = false
        coordinator.join("w1", Self.session, from: Self.worker)
        _ = said(coordinator)
        endLease(of: coordinator)
        coordinator.endTurn()
        if hasFullDisk { coordinator.open(.failed(StoreError(.full, "The disk is full."))) }
        coordinator.storeChanges()
        if hasFullDisk { coordinator.open(.recovered) }
        coordinator.storesChanges = true
        coordinator.settle(flushes: true)
        #expect(said(coordinator).isEmpty)
        #expect(held(coordinator).reduce(0) { $0 + $1.dispatched } == 0)
        prove(coordinator)
        coordinator.settle(flushes: true)
        #expect(said(coordinator).reduce(0) { $0 + $1.dispatched } == 1)
        #expect(coordinator.core.violations.isEmpty)
    }

    @Test(
        "No timer fires while the leader is silent, and no worker is lost at the end whose messages wait in the socket",
        arguments: [100, 900, 1100, 5000, 60_000]
    )
    func timers(silence: Int) throws {
        let lostAfter = Duration.seconds(45)
        let coordinator = try leader(lostAfter: lostAfter)
        let other = SessionID(rawValue: 8)
        coordinator.join("w1", Self.session, from: Self.worker)
        coordinator.join("w2", other, from: RoutingID(inProcess: 2), id: WorkerID(rawValue: 6))
        func condition(_ name: String) -> WorkerCondition? { coordinator.core.scheduler.worker(named: name)?.condition }
        // The time of the loss is in the middle of the silence.
        let length = Duration.milliseconds(silence)
        let beginning = Self.start + lostAfter + .milliseconds(-silence / 2)
        while coordinator.now < beginning {
            coordinator.now = min(beginning, coordinator.now + .milliseconds(700))
            coordinator.endTurn()
        }
        let before = condition("w1")
        #expect(before != .lost && condition("w2") == before)

        endLease(of: coordinator)
        for _ in 1...10 {
            coordinator.endTurn(isDrained: false)
            #expect(coordinator.core.nextDeadline > coordinator.now, "a silent leader does not spin")
            #expect(coordinator.core.silentConnections(at: coordinator.now, isDrained: true).isEmpty)
            #expect(condition("w1") == before && condition("w2") == before)
            coordinator.now = coordinator.now + length / 10
        }

        prove(coordinator)
        coordinator.endTurn(isDrained: false)
        #expect(condition("w1") == before && condition("w2") == before, "the messages are not read yet")
        coordinator.receive(WorkerMessage.heartbeat(Self.session, number: 1).encoded(), from: Self.worker)
        coordinator.now = coordinator.now + .milliseconds(10)
        coordinator.endTurn()
        #expect(condition("w1") == .alive)
        coordinator.now = coordinator.now + Lateness.catchUpTime
        coordinator.endTurn()
        #expect(condition("w1") == .alive && condition("w2") == .lost)
    }

    @Test("A wait whose time is over while the leader is silent is answered after the next proof", arguments: [1, 5])
    func requests(count: Int) throws {
        let coordinator = try leader()
        submit(1, to: coordinator)
        coordinator.storesChanges = true
        coordinator.storeChanges()
        coordinator.settle(flushes: true)
        _ = said(coordinator)
        let wait = Request.wait([.job(JobNumber(1))], queue: nil, atMost: .seconds(5), waiter: nil)
        for number in 1...count { coordinator.ask(wait, UInt64(100 + number), from: RoutingID(inProcess: 20)) }
        coordinator.settle(flushes: true)
        #expect(said(coordinator).isEmpty)
        endLease(of: coordinator)
        for _ in 1...4 {
            coordinator.now = coordinator.now + .seconds(5)
            coordinator.settle(flushes: true)
            #expect(said(coordinator).isEmpty && held(coordinator).isEmpty)
        }
        prove(coordinator)
        coordinator.settle(flushes: true)
        #expect(said(coordinator).count == count)
    }
}
