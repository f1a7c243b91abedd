@_spi(Baton) @testable import BatonCoordinator
@_spi(Baton) import BatonDocuments
@_spi(Baton) import BatonOperations
@_spi(Baton) @testable import BatonScheduler
@_spi(Baton) import BatonWire
import Testing

@Suite("The histories of workers")
struct WorkerHistoriesTests {
    private let start = Timestamp(rawValue: 1_000_000)

    private func completion(_ index: UInt32, _ end: AttemptEnd = .exited(0)) -> Completion {
        Completion(
            token: AttemptToken(epoch: 1, serial: UInt64(index) + 1),
            operation: OperationID(job: JobNumber(1), index: index),
            result: AttemptResult(end: end)
        )
    }

    private func view(_ name: String) -> WorkerView {
        WorkerView(
            name: name,
            host: "host",
            processID: 1,
            condition: .alive,
            isDraining: false,
            slots: 1,
            executing: 0,
            offer: WorkerOffer(),
            used: ResourceUse(),
            types: [],
            isAbsent: false
        )
    }

    @Test(
        "A history counts all ends, and lists the last ones, newest first",
        arguments: [0, 1, 19, 20, 21, 47] as [UInt32]
    )
    func ends(_ count: UInt32) {
        var histories = WorkerHistories()
        histories.join("w1", at: start)
        for index in 0..<count {
            histories.note([completion(index, index % 3 == 0 ? .signalled(9) : .exited(0))], of: "w1", at: start)
        }
        let history = histories["w1"]
        let bad = (count + 2) / 3
        #expect(history?.unsuccessful == Int(bad) && history?.succeeded == Int(count - bad))
        let expected = (0..<count).reversed().prefix(WorkerHistories.History.mostEnds)
        #expect(history?.newestFirst.map(\.operation.index) == Array(expected))
    }

    @Test("An attempt that a worker could not end has the word that the counters of attempts have")
    func endsByWorker() {
        var histories = WorkerHistories()
        let ends: [AttemptEnd] = [
            .stopped, .interrupted, .workerFault("It broke.", hasRun: true), .workerFault("It broke.", hasRun: false),
            .noRoom(RoomLack(wanted: 2, limit: 3, taken: 2), hasRun: true),
            .noRoom(RoomLack(wanted: 2, limit: 3, taken: 2), hasRun: false), .lostInputs("It is gone."),
        ]
        for (index, end) in ends.enumerated() {
            histories.note([completion(UInt32(index), end)], of: "w1", at: start)
        }
        #expect(
            histories["w1"]?.newestFirst.reversed().map(\.end)
                == [.stopped, .lost, .lost, .givenBack, .files, .givenBack, .givenBack]
        )
        #expect(histories["w1"]?.unsuccessful == 7 && histories["w1"]?.succeeded == 0)
    }

    @Test("A stopped attempt that was the last of its operation is lost, as in the documents of the operation")
    func stoppedForGood() {
        var histories = WorkerHistories()
        let stopped = [completion(0, .stopped), completion(1, .stopped)]
        histories.note(stopped, of: "w1", at: start, lasts: [stopped[0].token])
        #expect(histories["w1"]?.newestFirst.reversed().map(\.end) == [.lost, .stopped])
    }

    @Test("A worker that has left is remembered for an hour, and longer once it is back")
    func departures() {
        var histories = WorkerHistories()
        for name in ["gone", "back"] {
            histories.join(name, at: start)
            histories.note([completion(0)], of: name, at: start)
            histories.leave(view(name), at: start)
        }
        let later = start + .seconds(3_599)
        #expect(Set(histories.departed(at: later).map(\.view.name)) == ["gone", "back"])
        histories.join("back", at: later)
        #expect(histories.departed(at: later).map(\.view.name) == ["gone"])
        let end = start + .seconds(3_600)
        #expect(histories.departed(at: end).isEmpty)
        #expect(histories["gone"] == nil && histories["back"]?.succeeded == 1)
        histories.keepOnly(at: end) { $0 == "back" }
        #expect(histories["back"] != nil)
        histories.keepOnly(at: end) { _ in false }
        #expect(histories["back"] == nil)
    }

    @Test("However many workers come and go, only the last of them are remembered")
    func bounded() {
        var histories = WorkerHistories()
        for number in 0..<(WorkerHistories.mostDepartures + 10) {
            histories.join("w\(number)", at: start)
            histories.leave(view("w\(number)"), at: start)
        }
        let names = Set(histories.departed(at: start).map(\.view.name))
        #expect(names.count == WorkerHistories.mostDepartures && !names.contains("w9") && names.contains("w10"))
    }
}
