@_spi(Baton) import BatonOperations
import Testing

@_spi(Baton) @testable import BatonScheduler

@Suite("Shares of keys in what workers take", .timeLimit(.minutes(60)))
struct WorkerShareTests {
    private static let types = (0..<1_024).map { "t\($0)" + String(repeating: "x", count: 190) }

    private static func worker(_ number: Int, key: UInt32?, types: Int = 0) -> WorkerIntroduction {
        let word = UInt64(key ?? 0) * 1_000_000 + UInt64(number) + 1
        var introduction = Cluster.introduction("w\(word)", SessionID(rawValue: word))
        introduction.id = WorkerID(rawValue: word)
        introduction.keyNumber = key
        introduction.types = Array(Self.types.prefix(types))
        return introduction
    }

    /// Lets workers with many types join until one has no room.
    ///
    /// - Returns: the number of workers that have joined, and what there is too little of.
    private static func fill(_ scheduler: inout Scheduler, key: UInt32?) -> (Int, WorkerShortage) {
        var number = 0
        while true {
            let next = worker(number, key: key, types: types.count)
            if let shortage = scheduler.shortage(for: next) { return (number, shortage) }
            _ = scheduler.apply(.workerJoined(next), at: Timestamp(rawValue: 0))
            number += 1
        }
    }

    @Test("D8 A key has a limit for what its workers tell, and a share that the other keys leave to it")
    func bytes() {
        var scheduler = Scheduler()
        let (first, shortage) = Self.fill(&scheduler, key: 1)
        #expect(shortage == .bytesOfKey && first > 100)
        #expect(scheduler.workerCount(withKey: 1) == first)
        // A worker that tells less in its next session leaves the rest to the others.
        var lesser = Self.worker(0, key: 1, types: 0)
        lesser.session = SessionID(rawValue: 77)
        lesser.sessionNumber = 1
        _ = scheduler.apply(.workerJoined(lesser), at: Timestamp(rawValue: 0))
        #expect(scheduler.shortage(for: Self.worker(999, key: 1, types: 1_000)) == nil)
        // So does one that leaves.
        _ = scheduler.apply(.workerLeft(Self.worker(1, key: 1).session), at: Timestamp(rawValue: 0))
        #expect(scheduler.workerCount(withKey: 1) == first - 1)
        _ = Self.fill(&scheduler, key: 2)
        // The room of all keys is used up, and each further key has its own.
        for key in 3...4 as ClosedRange<UInt32> {
            let (own, shortage) = Self.fill(&scheduler, key: key)
            #expect(shortage == .bytes && own >= 7)
        }
        for key in 1...5 as ClosedRange<UInt32> {
            #expect(scheduler.shortage(for: Self.worker(999, key: key, types: 10)) == nil)
        }
        #expect(scheduler.violations() == [])
    }

    @Test("Without keys, the workers have the room of all keys together")
    func withoutKeys() {
        var scheduler = Scheduler()
        let (count, shortage) = Self.fill(&scheduler, key: nil)
        #expect(shortage == .bytes && count > 200)
    }

    @Test("D8 One key cannot have all workers, and a key with few workers may add some, however many the others have")
    func numbers() {
        var shares = WorkerShares()
        func shortage(_ key: UInt32?) -> WorkerShortage? {
            shares.shortage(for: Self.worker(999_999, key: key), replacing: nil)
        }
        for number in 0..<WorkerShares.mostWorkersOfKey { shares.add(Self.worker(number, key: 1)) }
        #expect(WorkerShares.mostWorkersOfKey > 10_000)
        #expect(shortage(1) == .workersOfKey && shortage(2) == nil && shortage(nil) == nil)
        for number in 0..<(WorkerShares.mostWorkers - WorkerShares.mostWorkersOfKey) {
            shares.add(Self.worker(number, key: 2))
        }
        #expect(shortage(2) == .workers && shortage(nil) == .workers && shortage(3) == nil)
        // A worker that is on the list keeps its place.
        let present = Self.worker(1, key: 1)
        #expect(shares.shortage(for: present, replacing: present) == nil)
        for number in 0..<WorkerShares.ownWorkers { shares.add(Self.worker(number, key: 3)) }
        #expect(shortage(3) == .workers && shortage(4) == nil)
        shares.remove(Self.worker(0, key: 1))
        #expect(shortage(1) == .workers)
    }

    @Test("D8 A newcomer takes the places of lost workers of its own key, or of one that has more workers")
    func lost() {
        var shares = WorkerShares()
        for number in 0..<3 { shares.add(Self.worker(number, key: 1)) }
        for number in 0..<2 { shares.add(Self.worker(number, key: 2)) }
        func may(_ key: UInt32?, displace other: UInt32?, lacking shortage: WorkerShortage) -> Bool {
            shares.mayDisplace(Self.worker(0, key: other), for: Self.worker(9, key: key), lacking: shortage)
        }
        #expect(may(1, displace: 1, lacking: .workersOfKey) && may(1, displace: 1, lacking: .workers))
        #expect(!may(1, displace: 2, lacking: .workersOfKey) && !may(1, displace: 2, lacking: .workers))
        #expect(may(2, displace: 1, lacking: .workers) && may(nil, displace: 1, lacking: .workers))
        // A lost worker that has told little makes no room for what others tell.
        #expect(!may(1, displace: 1, lacking: .bytesOfKey) && !may(nil, displace: nil, lacking: .bytes))
    }

    @Test("D8 A key that has as many workers as it may gets a new one in the place of its lost one")
    func displaced() {
        var scheduler = Scheduler()
        let start = Timestamp(rawValue: 0)
        let other = Self.worker(0, key: 2)
        let most = WorkerShares.mostWorkersOfKey
        let first = (0..<most).map { Event.workerJoined(Self.worker($0, key: 1)) }
        _ = scheduler.apply([Event.workerJoined(other)] + first, at: start)
        let newcomer = Self.worker(most, key: 1)
        #expect(scheduler.shortage(for: newcomer) == .workersOfKey)
        _ = scheduler.apply(.timePassed, at: start + .seconds(60))
        #expect(scheduler.shortage(for: newcomer) == nil)
        _ = scheduler.apply(.workerJoined(newcomer), at: start + .seconds(60))
        #expect(scheduler.workerCount(withKey: 1) == most && scheduler.workerCount(withKey: 2) == 1)
        #expect(scheduler.isListed(other.name) && scheduler.isListed(newcomer.name))
    }

    @Test("D8 A worker that comes back and tells more than before takes the room of lost workers")
    func returned() {
        var scheduler = Scheduler()
        let (count, _) = Self.fill(&scheduler, key: nil)
        let later = Timestamp(rawValue: 0) + .seconds(60)
        _ = scheduler.apply(.timePassed, at: later)
        let returning = 9_999
        _ = scheduler.apply(.workerJoined(Self.worker(returning, key: nil)), at: later)
        #expect(scheduler.workerCount == count + 1, "a worker that tells little displaces nobody")
        var telling = Self.worker(returning, key: nil, types: Self.types.count)
        telling.session = SessionID(rawValue: 5_000_000)
        telling.sessionNumber = 1
        #expect(scheduler.shortage(for: telling) == nil)
        _ = scheduler.apply(.workerJoined(telling), at: later)
        #expect(scheduler.worker(of: telling.session) == telling.name)
        #expect(scheduler.workerCount <= count, "lost workers have made room")
        #expect(scheduler.violations() == [])
    }
}
