@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonStore
import Testing

@_spi(Baton) @testable import BatonSimulation

@Suite("The simulated server of a record that two coordinators share", .timeLimit(.minutes(60)))
struct SimulatedServerTests {
    private let world: World
    private let server: SimulatedServer
    private let store: SQLStore
    /// The session of the first leader, with the first epoch.
    private let session: SimulatedServer.Session

    init() throws {
        let seed = try #require((UInt64(1001)...1100).first { World(seed: $0).hasStandby })
        world = World(seed: seed)
        server = try #require(world.server)
        session = try #require(server.elect(0))
        let state: StoredState
        (store, state) = try server.disk.open(as: Incarnation(rawValue: 7))
        server.lead(session, as: state.epoch)
    }

    /// Batches of the given sizes, of which no two changes are alike.
    private func batches(_ sizes: [Int]) -> [[RecordChange]] {
        var number: UInt64 = 0
        return sizes.map { size in
            (0..<size).map { _ in
                number += 1
                let time = Timestamp(rawValue: Int64(number))
                return .event(ClusterEvent(sequence: number, time: time, subject: .worker("w", .alive)))
            }
        }
    }

    private func numbers() throws -> [UInt64] { try store.events(after: 0, limit: .max).map(\.sequence) }

    @Test("The lock has one holder, and who has lost it leads on as long as nobody else has had it")
    func lock() throws {
        #expect(server.elect(1) == nil)
        #expect(server.prove(session))
        server.endSession()
        #expect(server.prove(session))
        #expect(server.elect(1) == nil)
        server.endSession()
        let other = try #require(server.elect(1))
        server.lead(other, as: 2)
        #expect(!server.prove(session))
        #expect(server.prove(other))
        // Also once the other one is gone.
        server.endSession()
        #expect(!server.prove(session))
    }

    @Test("A coordinator that is cut off is not elected, and its commits fail without a trace")
    func cut() throws {
        server.endSession()
        server.cut(1, up: false, down: true)
        #expect(server.elect(1) == nil)
        server.join(1)
        server.cut(0, up: true, down: false)
        #expect(throws: SimulatedServer.unreachable) { try server.commit(batches([2])[0], to: store, by: session) }
        server.kill()
        #expect(server.elect(1) == nil)
        server.promote()
        #expect(server.elect(1) != nil)
        #expect(try numbers().isEmpty)
    }

    @Test("Whoever was deposed commits nothing")
    func fence() throws {
        try server.commit(batches([2])[0], to: store, by: session)
        server.endSession()
        let other = try #require(server.elect(1))
        server.lead(other, as: 2)
        let late = Array(batches([2, 1])[1])
        #expect(throws: SimulatedServer.deposed) { try server.commit(late, to: store, by: session) }
        #expect(try numbers() == [1, 2])
        try server.commit(late, to: store, by: other)
        #expect(try numbers() == [1, 2, 3])
    }

    @Test(
        "A commit without an answer is in the record once, whatever became of it and of its repetitions",
        arguments: [
            [.lostBefore], [.lostAfter], [.lostBefore, .lostAfter], [.lostAfter, .lostBefore],
            [.lostAfter, .lostAfter],
            [.lostAfter, .lostBefore, .lostAfter], [.lostBefore, .lostBefore, .lostAfter, .lostAfter],
        ] as [[SimulatedServer.Mishap]],
        [[1, 1, 1, 1, 1], [3, 1, 4, 1, 5], [2, 0, 0, 3, 1]]
    )
    func commitWithoutAnswer(mishaps: [SimulatedServer.Mishap], sizes: [Int]) throws {
        // Each repetition has the changes of the batches that have come meanwhile, too.
        let batches = batches(sizes)
        var changes: [RecordChange] = []
        for (batch, mishap) in zip(batches, mishaps) {
            changes += batch
            server.mishap = mishap
            #expect(throws: SimulatedServer.unreachable) { try server.commit(changes, to: store, by: session) }
        }
        changes += batches[mishaps.count]
        try server.commit(changes, to: store, by: session)
        #expect(try numbers() == (0..<changes.count).map { UInt64($0) + 1 })
        // The next commit has nothing to do with those.
        let rest = batches[(mishaps.count + 1)...].flatMap(\.self)
        try server.commit(rest, to: store, by: session)
        #expect(try numbers().count == changes.count + rest.count)
    }
}
