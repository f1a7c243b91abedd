@_spi(Baton) import BatonDocuments
@_spi(Baton) import BatonOperations
import Testing

@Suite("The wait for workers with a file")
struct FetchWaitTests {
    private func worker(
        _ name: String,
        _ state: WorkersDocument.State,
        lostAt: Int64? = nil
    ) -> WorkersDocument.Worker {
        WorkersDocument.Worker(
            worker: name,
            state: state,
            slots: 1,
            executing: 0,
            host: "host",
            processID: 1,
            lostAt: lostAt.map { Timestamp(rawValue: $0) }
        )
    }

    private func sentence(_ holders: [String], _ workers: WorkersDocument.Worker...) -> String? {
        FetchWait.sentence(for: "out/a.bam", at: holders, among: workers) { "time \($0.rawValue)" }
    }

    @Test("The only worker with a file is named, and until when it is waited for")
    func silent() {
        #expect(
            sentence(["w1"], worker("w1", .suspect, lostAt: 45), worker("w2", .alive))
                == "Waiting for out/a.bam: only w1 has it, and is silent, at most until time 45, when it counts as lost."
        )
        #expect(
            sentence(["w1", "w2"], worker("w2", .suspect, lostAt: 45), worker("w1", .suspect, lostAt: 30))
                == "Waiting for out/a.bam: only w1, w2 have it, and are silent, at most until time 45, when they count as lost."
        )
        // A coordinator of an earlier version does not tell when.
        #expect(sentence(["w1"], worker("w1", .suspect)) == "Waiting for out/a.bam: only w1 has it, and is silent.")
    }

    @Test("A worker that is heard is waited for before silent ones, and nobody is who is lost or has no copy")
    func present() {
        #expect(
            sentence(["w1", "w2"], worker("w1", .suspect, lostAt: 45), worker("w2", .draining))
                == "Waiting for out/a.bam from w2."
        )
        #expect(sentence(["w1"], worker("w1", .lost), worker("w2", .alive)) == nil)
        #expect(sentence([], worker("w1", .alive)) == nil)
        let many = (1...5).map { "w\($0)" }
        #expect(
            FetchWait.sentence(for: "a", at: many, among: many.map { worker($0, .alive) }) { _ in "" }
                == "Waiting for a from w1, w2, w3 and 2 more."
        )
    }
}
