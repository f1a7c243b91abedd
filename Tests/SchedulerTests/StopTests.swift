@_spi(Baton) import BatonOperations
import Testing

@_spi(Baton) @testable import BatonScheduler

@Suite("Workers that are stopped or forgotten", .timeLimit(.minutes(60)))
struct StopTests {
    private let other = WorkerID(rawValue: 2)

    private func stops(_ effects: [Effect]) -> [Bool] {
        effects.compactMap { if case .stop(_, let isImmediate) = $0 { isImmediate } else { nil } }
    }

    private func refusal(_ answer: Answer?) -> Refusal? {
        if case .refused(let refusal)? = answer { refusal } else { nil }
    }

    @Test("D3 An attempt that a stopped worker ends runs again with the next number, and no loss counts, however often")
    func uncounted() {
        var cluster = Cluster(Configuration(maximumLosses: 1))
        let job = cluster.submit(.op())
        for round in 1...4 {
            let session = cluster.join("w1", processID: Int32(round))
            #expect(cluster.running[job / 0]?.attempt == UInt32(round))
            if round % 2 == 0 {
                cluster.apply(.workerLeaving(session))
                cluster.finish(job / 0, .stopped)
            }
            cluster.apply(.workerLeft(session))
            #expect(cluster.state(job / 0) == .ready && cluster.last(job / 0)?.losses == 0)
        }
        #expect(cluster.record.attempts[job / 0]?.map(\.attempt) == [1, 2, 3, 4])
        #expect(
            cluster.record.attempts[job / 0]?.allSatisfy { $0.reason == Reason(.lost, "Its worker was stopped.") }
                == true
        )
    }

    @Test("D3 An operation that is never restarted fails as lost when its worker is stopped", arguments: [true, false])
    func never(isReported: Bool) {
        var cluster = Cluster()
        var template = Template.noOperation
        template.restart = .never
        let job = cluster.submit(.op(), templates: [template])
        let session = cluster.join("w1")
        cluster.apply(.workerLeaving(session))
        if isReported { cluster.finish(job / 0, .stopped) }
        cluster.apply(.workerLeft(session))
        #expect(cluster.outcome(job / 0) == .failed)
        #expect(cluster.last(job / 0)?.reason == Reason(.lost, "Its worker was stopped, and it is never restarted."))
    }

    @Test(
        "A worker that is asked to stop gets nothing new, and is asked again in its next session, but not in its next life"
    )
    func stop() {
        var cluster = Cluster(Configuration(sendAhead: .atMost(1)))
        cluster.requester = "laptop"
        cluster.join("w1")
        let job = cluster.submit(.array(3))
        #expect(cluster.changes(of: { .stop(["w1"], isImmediate: false, request: $0) })?.changed == 1)
        #expect(stops(cluster.effects) == [false])
        #expect(cluster.state(job / 1) == .ready && cluster.scheduler.allWorkers[0].condition == .draining)
        let running = cluster.sent[0]
        cluster.join("w1", holding: [running])
        #expect(stops(cluster.effects) == [false])
        let again = cluster.changes(of: { .stop(["w1"], isImmediate: false, request: $0) })
        #expect(again == ChangeReport(changed: 0, notes: ["Worker w1 was asked to stop before."]))
        #expect(stops(cluster.effects) == [false], "the worker is asked again")
        #expect(cluster.changes(of: { .stop(["w1"], isImmediate: true, request: $0) })?.changed == 1)
        cluster.join("w1", holding: [running])
        #expect(stops(cluster.effects) == [true])
        cluster.join("w1", processID: 8)
        #expect(stops(cluster.effects).isEmpty && cluster.state(job / 1) == .executing)
        let events = cluster.record.events.events.compactMap { event in
            if case .workerRequest(_, let request) = event.subject {
                "\(request.word) by \(event.by ?? "")"
            } else {
                nil
            }
        }
        #expect(events == ["stop by laptop", "stop now by laptop"])
    }

    @Test("What is lost, away or gone cannot be stopped, and a present worker cannot be forgotten")
    func refused() {
        var cluster = Cluster()
        let session = cluster.join("w1")
        cluster.join("w2", id: other)
        func stop(_ name: String) -> Refusal? {
            refusal(cluster.answer { .stop([name], isImmediate: false, request: $0) })
        }
        func forget(_ names: String...) -> Refusal? {
            refusal(cluster.answer { .forget(names, request: $0) })
        }
        #expect(stop("w9")?.code == .notFound && forget("w9")?.code == .notFound)
        #expect(
            forget("w1")?.message
                == "Worker w1 is alive. Only workers that are lost or have left can be forgotten."
        )
        cluster.pass(.seconds(10), silent: session)
        #expect(forget("w1")?.message.contains("is suspect") == true)
        cluster.pass(.seconds(40), silent: session)
        #expect(stop("w1")?.message == "Worker w1 is lost, and cannot be told to stop.")
        #expect(forget("w1", "w2")?.code == .invalid, "both or none")
        #expect(cluster.scheduler.allWorkers.count == 2)
        #expect(forget("w1") == nil)
        #expect(cluster.scheduler.allWorkers.map(\.name) == ["w2"])
        cluster.submit(.op())
        cluster.restart()
        #expect(stop("w2")?.message.contains("has not come back") == true)
        #expect(forget("w2")?.message.contains("is not lost yet") == true)
        #expect(refusal(cluster.answer { .forget([], request: $0) })?.code == .invalid)
    }
}
