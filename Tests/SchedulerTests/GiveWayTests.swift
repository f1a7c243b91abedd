@_spi(Baton) import BatonOperations
import Testing

@_spi(Baton) @testable import BatonScheduler

@Suite("Unneeded files of a keeper give way to files that are sent", .timeLimit(.minutes(60)))
struct GiveWayTests {
    private static let file = KeptFile("a", 1, size: 1000)

    /// A cluster with a keeper and a worker.
    private func cluster() -> (cluster: Cluster, keeper: SessionID) {
        var cluster = Cluster()
        let keeper = cluster.joinKeeper("coordinator")
        cluster.join("w1")
        return (cluster, keeper)
    }

    /// Lets a job of one operation leave a file that the keeper has, too.
    private func run(
        _ file: KeptFile,
        _ keeper: SessionID,
        _ settings: JobSettings = JobSettings(),
        in cluster: inout Cluster
    ) {
        cluster.apply(.filesHeld(keeper, [file.digest], isFirst: false))
        let job = cluster.submit(.op(), templates: [.leavingFiles], settings: settings)
        cluster.finish(job / 0, leaving: file)
        #expect(cluster.record.finished[job] != nil)
    }

    @Test(
        "FI9 As much goes as is lacking, the files of the job first that ended first",
        arguments: 0..<12 as Range<UInt64>
    )
    func oldestFirst(seed: UInt64) {
        var random = SplitMix(seed: seed)
        var (cluster, keeper) = cluster()
        var files = (1...9 as ClosedRange<UInt64>).shuffled(using: &random).map { number in
            KeptFile("f\(number)", number, size: Int64.random(in: 1...1000, using: &random))
        }
        for file in files {
            run(file, keeper, in: &cluster)
            cluster.pass(.seconds(Int64.random(in: 1...60, using: &random)))
        }
        while !files.isEmpty {
            let lacking = Int64.random(in: 1...1500, using: &random)
            var digests: [ContentDigest] = []
            var sum: Int64 = 0
            while sum < lacking, let next = files.first {
                sum += next.size
                digests.append(next.digest)
                files.removeFirst()
            }
            cluster.apply(.filesLackRoom(bytes: UInt64(lacking)))
            #expect(cluster.released(in: keeper) == Set(digests))
            #expect(Set(cluster.scheduler.leaving(among: digests)) == Set(digests))
            #expect(digests.allSatisfy { !cluster.scheduler.holders(of: $0).contains(keeper) })
            cluster.apply(.filesDropped(keeper, digests))
            #expect(!cluster.scheduler.areFilesLeaving)
        }
        cluster.apply(.filesLackRoom(bytes: 1))
        #expect(cluster.released(in: keeper).isEmpty && !cluster.scheduler.areFilesLeaving)
        // The timers of deleted files have no effect.
        cluster.pass(SparedFiles.time * 2)
    }

    @Test("FI9 Files that an unfinished job needs stay, and files that --keep-files keeps stay until its time is over")
    func promises() {
        var (cluster, keeper) = cluster()
        let (kept, needed) = (KeptFile("kept", 2, size: 10), KeptFile("needed", 3, size: 10))
        cluster.suspend("b")
        cluster.apply(.filesHeld(keeper, [needed.digest], isFirst: false))
        let job = cluster.submit(.op(), .op(queue: 1, on: .needs(0)), queues: ["a", "b"], templates: [.leavingFiles])
        cluster.finish(job / 0, leaving: needed)
        run(kept, keeper, JobSettings(keepFiles: .seconds(7200)), in: &cluster)
        run(Self.file, keeper, in: &cluster)
        cluster.apply(.filesLackRoom(bytes: 1 << 40))
        #expect(cluster.released(in: keeper) == [Self.file.digest])
        cluster.apply(.filesDropped(keeper, [Self.file.digest]))
        cluster.pass(.seconds(7201))
        cluster.apply(.filesLackRoom(bytes: 1 << 40))
        #expect(cluster.released(in: keeper) == [kept.digest])
        #expect(cluster.scheduler.holders(of: needed.digest).contains(keeper))
    }

    @Test(
        "What was sent, or asked for, stays for ten minutes, in which its submission may come",
        arguments: [0, 1, 599, 2000] as [Int64]
    )
    func awaited(asked: Int64) {
        var (cluster, keeper) = cluster()
        cluster.apply(.filesHeld(keeper, [Self.file.digest], isFirst: false))
        cluster.pass(.seconds(asked))
        cluster.apply(.filesSent([Self.file.digest]))
        cluster.pass(SparedFiles.timeOfSubmissions - .seconds(1))
        cluster.apply(.filesLackRoom(bytes: 1))
        #expect(cluster.released(in: keeper).isEmpty)
        cluster.pass(.seconds(1))
        cluster.apply(.filesLackRoom(bytes: 1))
        #expect(cluster.released(in: keeper) == [Self.file.digest])
    }

    @Test("A file that a finished job has needed stays for ten minutes once a client has asked for it")
    func askedAgain() {
        var (cluster, keeper) = cluster()
        run(Self.file, keeper, in: &cluster)
        cluster.apply(.filesSent([Self.file.digest]))
        cluster.apply(.filesLackRoom(bytes: 1))
        #expect(cluster.released(in: keeper).isEmpty)
        // Another job needs the file and finishes: the file is not spared for the client any more.
        run(Self.file, keeper, in: &cluster)
        cluster.apply(.filesLackRoom(bytes: 1))
        #expect(cluster.released(in: keeper) == [Self.file.digest])
    }

    @Test("The keeper's own word about a file may come after the end of the job, and keeps nothing")
    func lateWord() {
        var (cluster, keeper) = cluster()
        cluster.apply(.filesSent([Self.file.digest]))
        let job = cluster.submit(.op(), templates: [.leavingFiles])
        cluster.finish(job / 0, leaving: Self.file)
        cluster.apply(.filesHeld(keeper, [Self.file.digest], isFirst: false))
        cluster.apply(.filesLackRoom(bytes: 1))
        #expect(cluster.released(in: keeper) == [Self.file.digest])
    }

    @Test("A file that the keeper is to delete does not count as kept, despite late reports, until it is sent again")
    func leaving() {
        var (cluster, keeper) = cluster()
        run(Self.file, keeper, in: &cluster)
        let digests = [Self.file.digest]
        cluster.apply(.filesLackRoom(bytes: 1))
        cluster.apply(.filesSent(digests))
        cluster.apply(.filesHeld(keeper, digests, isFirst: true))
        #expect(!cluster.scheduler.holders(of: Self.file.digest).contains(keeper))
        cluster.apply(.filesDropped(keeper, digests))
        cluster.apply(.filesHeld(keeper, digests, isFirst: false))
        #expect(cluster.scheduler.holders(of: Self.file.digest).contains(keeper))
    }

    @Test("What a keeper was told to delete before it has come anew counts again, as the word may have been lost")
    func newSession() {
        var (cluster, keeper) = cluster()
        run(Self.file, keeper, in: &cluster)
        cluster.apply(.filesLackRoom(bytes: 1))
        #expect(cluster.scheduler.areFilesLeaving)
        let again = cluster.joinKeeper("coordinator")
        #expect(!cluster.scheduler.areFilesLeaving)
        cluster.apply(.filesHeld(again, [Self.file.digest], isFirst: true))
        #expect(cluster.scheduler.holders(of: Self.file.digest).contains(again))
    }
}
