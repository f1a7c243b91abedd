@_spi(Baton) import BatonOperations
import Testing

@_spi(Baton) @testable import BatonTelemetry

@Suite("Jobs with new spans", .timeLimit(.minutes(60)))
struct ChangedJobsTests {
    private func changes(_ lines: String...) -> [JobNumber: ChangedJobs.Change] {
        ChangedJobs(lines: Array(lines.map { $0 + "\n" }.joined().utf8)).changes
    }

    private func change(_ operations: [Range<UInt32>], isFinished: Bool = false) -> ChangedJobs.Change {
        var change = ChangedJobs.Change()
        (change.operations, change.isFinished) = (operations, isFinished)
        return change
    }

    @Test("Ends of operations and of attempts are noted by job, arrays as a whole")
    func ends() {
        let changes = changes(
            #"{"seq":1,"event":"operation","operation":"12/3","state":"finished","outcome":"succeeded","attempt":1}"#,
            #"{"seq":2,"event":"operation","operation":"12/10","count":4,"state":"finished","outcome":"cancelled","attempt":0}"#,
            #"{"seq":6,"event":"operation","operation":"13/0","state":"ready","attempt":1}"#,
            #"{"seq":7,"event":"operation","operation":"14/0","state":"executing","attempt":2}"#,
            #"{"seq":8,"event":"job","job":12,"state":"finished","outcome":"failed"}"#
        )
        #expect(
            changes == [
                JobNumber(12): change([3..<4, 10..<14], isFinished: true), JobNumber(13): change([0..<1]),
                JobNumber(14): change([0..<1]),
            ]
        )
        // A count that leads beyond the last index ends there.
        let last = #"{"event":"operation","operation":"12/4294967290","count":4294967295,"state":"finished"}"#
        #expect(self.changes(last) == [JobNumber(12): change([4_294_967_290..<UInt32.max])])
    }

    @Test(
        "Other events have no effect",
        arguments: [
            #"{"seq":1,"event":"operation","operation":"12/3","state":"ready","attempt":0}"#,
            #"{"seq":1,"event":"operation","operation":"12/3","state":"executing","attempt":1}"#,
            #"{"seq":1,"event":"operation","operation":"12/3","held":true}"#,
            #"{"seq":1,"event":"operation","operation":"12/3","progress":0.5,"message":"\"state\":\"finished\""}"#,
            #"{"seq":1,"event":"job","job":12,"state":"submitted","operations":3}"#,
            #"{"seq":1,"event":"worker","worker":"w1","state":"lost"}"#,
            #"{"seq":1,"event":"operation","operation":"12/sepia","state":"finished"}"#, "nonsense", "",
        ]
    )
    func others(line: String) {
        #expect(changes(line).isEmpty)
    }

    @Test("Ranges are joined where they touch or leave a small gap")
    func ranges() {
        let given: [Range<UInt32>] = [
            20..<30, 5..<6, 0..<2, 3..<5, 25..<26, 40..<40, 31..<33, 4_294_967_290..<UInt32.max,
        ]
        let exact = IndexRanges(given)
        #expect(exact.ranges == [0..<2, 3..<6, 20..<30, 31..<33, 4_294_967_290..<UInt32.max])
        #expect(IndexRanges(given, joiningGapsUpTo: 1).ranges.prefix(2) == [0..<6, 20..<33])
        #expect(IndexRanges(given, joiningGapsUpTo: .max).ranges == [0..<UInt32.max])
        for index in UInt32(0)..<50 {
            #expect(exact.contains(index) == given.contains { $0.contains(index) })
        }
        #expect(IndexRanges([]).ranges.isEmpty && !IndexRanges([]).contains(0) && IndexRanges.all.contains(7))
    }
}
