@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonTestValues
import Testing

@_spi(Baton) @testable import BatonScheduler

@Suite("Random histories of files", .timeLimit(.minutes(60)))
struct FileRandomTests {
    @Test(
        "FI3 FI6 Nothing starts without its files, only what was lost runs again, and what has finished stays as it was"
    )
    func random() async {
        var seen: Set<FileRun.Situation> = []
        for seed in UInt64(1)...(Thoroughness.isFull ? 2000 : 200) {
            var run = FileRun(seed: seed)
            run.run()
            #expect(run.faults.isEmpty, "seed \(seed): \(run.faults.prefix(3))")
            seen.formUnion(run.seen)
            // Other tests wait for the threads.
            await Task.yield()
        }
        for situation in FileRun.Situation.allCases {
            #expect(seen.contains(situation), "\(situation) did not come up")
        }
    }
}
