@_spi(Baton) import BatonOperations
import Testing

@_spi(Baton) @testable import BatonScheduler

@Suite("Lost workers leave the list")
struct LostWorkerTests {
    private func names(_ cluster: Cluster) -> [String] { cluster.scheduler.allWorkers.map(\.name) }

    private func forgotten(_ cluster: Cluster) -> [String] {
        cluster.record.events.events.compactMap { event in
            if case .workerRequest(let name, .forget) = event.subject { name } else { nil }
        }
    }

    @Test("D7 A lost worker leaves the list by itself after an hour, which is an event; a present one stays")
    func hour() {
        var cluster = Cluster()
        let session = cluster.join("w1")
        cluster.join("w2", id: WorkerID(rawValue: 2))
        cluster.pass(.seconds(45), silent: session)
        #expect(names(cluster) == ["w1", "w2"] && cluster.scheduler.allWorkers[0].condition == .lost)
        cluster.pass(.seconds(3_599), silent: session)
        #expect(names(cluster) == ["w1", "w2"] && forgotten(cluster).isEmpty)
        cluster.pass(.seconds(1), silent: session)
        #expect(names(cluster) == ["w2"] && forgotten(cluster) == ["w1"])
        #expect(cluster.scheduler.violations().isEmpty)
    }

    @Test("D7 A lost worker that comes back within the time stays, and counts anew when it is lost again")
    func back() {
        var cluster = Cluster(Configuration(forgetLostAfter: .seconds(600), sendAhead: .atMost(0)))
        let first = cluster.join("w1")
        cluster.pass(.seconds(545), silent: first)
        let second = cluster.join("w1")
        cluster.pass(.seconds(600))
        #expect(cluster.scheduler.allWorkers.map(\.condition) == [.alive])
        cluster.pass(.seconds(645), silent: second)
        #expect(names(cluster).isEmpty)
        // It comes back after all, with the same identity and as another process.
        cluster.join("w1", processID: 9)
        #expect(cluster.scheduler.allWorkers.map(\.condition) == [.alive])
    }

    @Test("D7 A lost worker whose key is revoked leaves the list at once, which is an event")
    func expelled() {
        var cluster = Cluster()
        let session = cluster.join("w1")
        cluster.pass(.seconds(45), silent: session)
        cluster.apply(.workerExpelled("w1", because: "The key of its worker was revoked"))
        #expect(names(cluster).isEmpty && forgotten(cluster) == ["w1"])
        cluster.pass(.seconds(3_600))
        #expect(forgotten(cluster) == ["w1"] && cluster.scheduler.violations().isEmpty)
    }

    @Test("D3 An attempt of a worker that leaves the list runs again elsewhere, and its late end is refused")
    func attempts() throws {
        var cluster = Cluster(Configuration(forgetLostAfter: .seconds(600), sendAhead: .atMost(0)))
        let session = cluster.join("w1")
        let job = cluster.submit(.op())
        let lost = try #require(cluster.running[job / 0])
        cluster.pass(.seconds(700), silent: session)
        #expect(names(cluster).isEmpty && cluster.state(job / 0) == .ready)
        cluster.join("w2", id: WorkerID(rawValue: 2))
        #expect(cluster.running[job / 0]?.attempt == 2)
        cluster.join("w1", holding: [lost])
        #expect(cluster.running[job / 0]?.attempt == 2 && cluster.state(job / 0) == .executing)
        #expect(
            cluster.effects.contains { effect in
                if case .welcome(_, let stale, _, _) = effect { stale == [lost.token] } else { false }
            }
        )
    }

    @Test("A drain outlives the worker on the list, and a coordinator can be told to keep lost workers")
    func kept() {
        var cluster = Cluster(Configuration(forgetLostAfter: .seconds(600), sendAhead: .atMost(0)))
        let session = cluster.join("w1")
        cluster.request { .drain(["w1"], request: $0) }
        cluster.pass(.seconds(700), silent: session)
        #expect(cluster.scheduler.allWorkers.map(\.condition) == [.left])
        cluster.join("w1", processID: 8)
        #expect(cluster.scheduler.allWorkers.map(\.condition) == [.draining])

        var other = Cluster(Configuration(forgetLostAfter: nil, sendAhead: .atMost(0)))
        let silent = other.join("w1")
        other.pass(.seconds(90 * 86_400), silent: silent)
        #expect(other.scheduler.allWorkers.map(\.condition) == [.lost] && other.scheduler.nextDeadline == nil)
        #expect(other.scheduler.violations().isEmpty)
    }
}
