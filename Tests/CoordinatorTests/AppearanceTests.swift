@_spi(Baton) import BatonOperations
import Testing
@_spi(Baton) import BatonWire
@_spi(Baton) import BatonZeroMQ

@_spi(Baton) @testable import BatonCoordinator

@Suite("Workers that appear and break", .timeLimit(.minutes(60)))
struct AppearanceTests {
    private let start = Timestamp(rawValue: 1_700_000_000_000_000)

    /// A hello of a worker over its own connection.
    private func arrival(_ number: UInt64, in scene: HostileScene, length: Int = 200) -> Appearances.Arrival {
        Appearances.Arrival(
            message: .hello(scene.hello(.honest, named: "w\(number)")),
            length: length,
            peer: RoutingID(inProcess: number),
            requester: scene.requester(.honest)
        )
    }

    @Test("A fleet of 10,000 workers with one key that starts at once, and again a minute later, waits for nothing")
    func fleet() throws {
        let scene = try HostileScene()
        var appearances = Appearances()
        for moment in [start, start + .seconds(60)] {
            var waiting = 0
            for number in 1...10_000 as ClosedRange<UInt64> {
                let arrival = arrival(number, in: scene)
                let workers = moment == start ? Int(number) - 1 : 10_000
                if !appearances.counts(arrival, workersOfKey: workers, at: moment) { waiting += 1 }
            }
            #expect(waiting == 0)
            #expect(appearances.nextDeadline == nil)
            appearances.tidy(at: moment)
        }
    }

    @Test("D8 The workers of one key appear at a bounded rate, whatever their names and connections, in their order")
    func key() throws {
        let scene = try HostileScene()
        var appearances = Appearances()
        var immediate: UInt64 = 0
        while appearances.counts(arrival(immediate + 1, in: scene), workersOfKey: 1, at: start) { immediate += 1 }
        #expect(immediate < 20_000)
        for number in immediate + 2...immediate + 50 {
            let counts = appearances.counts(arrival(number, in: scene), workersOfKey: 1, at: start)
            #expect(!counts)
        }
        let early = appearances.takeDue(at: start)
        #expect(early.isEmpty)
        let due = appearances.takeDue(at: start + Appearances.longestWait)
        let expected = (immediate + 1...immediate + 50).map { RoutingID(inProcess: $0) }
        #expect(due.map { $0.arrival.peer } == expected)
        #expect(due.contains { $0.isCounted } && due.contains { !$0.isCounted })
        // A hello that was not counted is judged anew at its time.
        let again = due.filter { !$0.isCounted }.map { $0.arrival }
        let later = start + Appearances.longestWait
        for arrival in again {
            let counts = appearances.counts(arrival, workersOfKey: 1, at: later)
            #expect(!counts)
        }
        #expect(appearances.nextDeadline.map { $0 > later } == true)
    }

    @Test("D8 What waits of one key takes a bounded number of bytes")
    func bytes() throws {
        let scene = try HostileScene()
        var appearances = Appearances()
        var immediate: UInt64 = 0
        while appearances.counts(arrival(immediate + 1, in: scene), workersOfKey: 1, at: start) { immediate += 1 }
        for number in immediate + 2...immediate + 50 {
            let large = arrival(number, in: scene, length: 1 << 20)
            let counts = appearances.counts(large, workersOfKey: 1, at: start)
            #expect(!counts)
        }
        let kept = appearances.takeDue(at: start + Appearances.longestWait).reduce(0) { $0 + $1.arrival.length }
        #expect(kept > 1 << 20 && kept <= 8 << 20)
    }
}
