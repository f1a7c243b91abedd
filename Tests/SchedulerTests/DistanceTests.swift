@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonTestValues
import Testing

@_spi(Baton) @testable import BatonScheduler

@Suite("Workers at a distance", .timeLimit(.minutes(60)))
struct DistanceTests {
    /// The time that a worker's own thread needs for a no-op, for each of 16 slots, in microseconds.
    private static let timeOfNoOperation: Int64 = 800

    private static func load(_ count: Int, name: String = "q", limit: Int? = nil, _ length: Int64) -> ShareRun.Load {
        ShareRun.Load(
            name: name,
            quality: .default,
            count: count,
            length: { _ in length == 0 ? timeOfNoOperation : length },
            limit: limit,
            isNoOperation: length == 0
        )
    }

    /// The operations that workers finish per second of virtual time, from the submission to the last report.
    private static func rate(
        _ loads: [ShareRun.Load],
        slots: [Int] = [16],
        roundTrips: [Int64]
    ) -> Double {
        let count = loads.reduce(0) { $0 + $1.count }
        var run = ShareRun(loads, slots: slots, distances: roundTrips.map { max($0 / 2, ShareRun.distance) })
        let begin = run.now
        run.play(untilFinished: count)
        #expect(run.finishedCount == count)
        return Double(count) * 1_000_000 / Double(run.now - begin)
    }

    private static func ratio(_ loads: [ShareRun.Load], slots: [Int] = [16], roundTrips: [Int64]) -> Double {
        rate(loads, slots: slots, roundTrips: roundTrips)
            / rate(loads, slots: slots, roundTrips: roundTrips.map { _ in 0 })
    }

    @Test("A round trip is at most a second, whatever a worker tells, and counts from two milliseconds")
    func bounds() {
        let cases: [(told: Int64, roundTrip: Int64, horizon: Int64)] = [
            (0, 0, 32_000), (.min, 0, 32_000), (-1, 0, 32_000), (1999, 0, 32_000), (2000, 2000, 34_000),
            (100_000, 100_000, 132_000), (1_000_001, 1_000_000, 1_032_000), (.max, 1_000_000, 1_032_000),
        ]
        for (told, roundTrip, horizon) in cases {
            let distance = Distance(roundTrip: told)
            #expect(distance.roundTrip == roundTrip && distance.horizon == horizon)
            #expect((1024...32_768).contains(distance.mostAttempts))
            for mean in [nil, 0, 8000, .max] as [Int64?] {
                let room = SendAhead.automatic.room(
                    slots: 4096,
                    mean: mean,
                    meanBytes: 0,
                    distance: distance,
                    isFlowing: true
                )
                #expect(room.attempts <= 32_768 && room.time <= 4096 * 4_032_000)
                #expect((80_000...13_000_000).contains(distance.patience(mean: mean)))
            }
        }
    }

    @Test("At 100 ms, 2,000 operations of 10 ms keep 80% of the rate without a distance, and 10,000 no-ops 50%")
    func goals() {
        for slots in Thoroughness.isFull ? [[16], [16, 16]] : [[16, 16]] {
            let roundTrips = slots.map { _ in Int64(100_000) }
            let short = Self.ratio([Self.load(2000 * slots.count, 10_000)], slots: slots, roundTrips: roundTrips)
            #expect(short >= 0.8, "\(short) of operations of 10 ms on \(slots.count) workers")
            let none = Self.ratio([Self.load(10_000 * slots.count, 0)], slots: slots, roundTrips: roundTrips)
            #expect(none >= 0.5, "\(none) of no-ops on \(slots.count) workers")
        }
    }

    @Test(
        "Operations of any length keep 75% of the rate without a distance in the long run",
        arguments: [0, 1000, 10_000, 100_000, 110_000, 400_000] as [Int64],
        (Thoroughness.isFull ? [20_000, 100_000, 200_000] : [100_000]) as [Int64]
    )
    func lengths(length: Int64, roundTrip: Int64) {
        let slotTime = length == 0 ? Self.timeOfNoOperation : length
        // A job begins with a round trip during which nothing is known of its operations.
        let count = 4 * 10 * max(roundTrip, slotTime) / slotTime
        let found = Self.ratio([Self.load(Int(count), length)], slots: [4], roundTrips: [roundTrip])
        #expect(found >= 0.75, "\(found)")
    }

    @Test("A worker at 100 ms with results of a mebibyte gets no more ahead than its memory should hold")
    func bytes() {
        let far = Distance(roundTrip: 100_000)
        func ahead(slots: Int, meanBytes: Int) -> Int {
            SendAhead.automatic.room(slots: slots, mean: 1000, meanBytes: meanBytes, distance: far, isFlowing: true)
                .attempts
        }
        #expect(ahead(slots: 16, meanBytes: 0) == 16 * 132)
        #expect(ahead(slots: 16, meanBytes: 1 << 20) == 32)
        #expect(ahead(slots: 64, meanBytes: 1 << 20) == 64)
        #expect(ahead(slots: 16, meanBytes: .max) == 16)
    }

    // MARK: - Several workers

    @Test("A near and a far worker share a job by their slots, and together keep 70% of the rate without a distance")
    func nearAndFar() {
        let load = Self.load(3000, 10_000)
        #expect(Self.ratio([load], slots: [16, 16], roundTrips: [0, 200_000]) >= 0.7)
        var run = ShareRun([load], slots: [16, 16], distances: [ShareRun.distance, 100_000])
        run.play(untilFinished: 3000)
        let shares = [0, 1].map { worker in run.starts.count { $0.worker == worker } }
        #expect(shares.allSatisfy { (1000...2000).contains($0) }, "\(shares)")
    }

    @Test(
        "No long operation waits behind another one at a far worker while a slot elsewhere is free",
        arguments: [[100, 50_000], [50_000, 50_000], [50_000, 100_000, 100]] as [[Int64]]
    )
    func mixed(distances: [Int64]) {
        // As many operations of 10 s as slots, among short ones, with which they share a template.
        let slots = distances.map { _ in 4 }
        let longOnes = 4 * distances.count
        let load = ShareRun.Load(
            name: "q",
            quality: .default,
            count: 50 * longOnes,
            length: { $0 % 50 == 49 ? 10_000_000 : 1000 }
        )
        var run = ShareRun([load], slots: slots, distances: distances)
        run.isChecked = true
        let begin = run.now
        run.play(untilFinished: 50 * longOnes)
        #expect(run.violations.isEmpty)
        #expect(run.now - begin < 13_000_000, "\(run.now - begin)")
    }

    @Test("A queue whose operations become long is shared by the free slots of near and far workers")
    func becomingLong() {
        let load = ShareRun.Load(name: "q", quality: .default, count: 616, length: { $0 < 600 ? 1000 : 2_000_000 })
        var run = ShareRun([load], slots: [4, 4], distances: [100, 50_000])
        run.isChecked = true
        let begin = run.now
        run.play(untilFinished: 616)
        #expect(run.violations.isEmpty)
        // Sixteen operations of two seconds on eight slots.
        #expect(run.now - begin < 5_500_000, "\(run.now - begin)")
    }

    @Test(
        "A worker that names another round trip than its own costs the others nothing",
        arguments: [Int64.max, .min, -5]
    )
    func liar(told: Int64) {
        let load = Self.load(1200, 5000)
        func time(telling told: Int64?) -> Int64 {
            var run = ShareRun([load], slots: [8, 8], distances: [100, 100])
            if let told { run.tell(told, by: 0, after: 1000) }
            let begin = run.now
            run.play(untilFinished: 1200)
            return run.now - begin
        }
        #expect(Double(time(telling: told)) <= 1.1 * Double(time(telling: nil)))
    }

    @Test(
        "A round trip that grows or falls is followed",
        arguments: [[10_000, 100_000], [100_000, 100]] as [[Int64]]
    )
    func changing(distances: [Int64]) {
        var run = ShareRun([Self.load(6000, 10_000)], slots: [16], distances: [distances[0]])
        run.play(untilFinished: 2000)
        run.move(0, to: distances[1])
        run.play(untilFinished: 4000)
        let begin = run.now
        run.play(untilFinished: 5800)
        // 1,600 operations per second are the most.
        #expect(run.now - begin < 1_800 * 1_000_000 / 1280, "\(run.now - begin)")
    }

    // MARK: - Order

    @Test(
        "QO5 A queue that becomes ready gets the next free slots of a far worker, half a round trip later",
        arguments: (Thoroughness.isFull ? [100, 5000, 10_000, 60_000] : [100, 60_000]) as [Int64]
    )
    func newcomer(length: Int64) {
        let newcomer = ShareRun.Load(
            name: "new",
            quality: .default,
            count: 1,
            length: { _ in 50_000 },
            isUnknown: true,
            from: 700_000
        )
        let flood = ShareRun.Load(name: "flood", quality: .background, count: 100_000, length: { _ in length })
        var run = ShareRun([flood, newcomer], slots: [2], distances: [50_000])
        while !run.starts.contains(where: { $0.queue == 1 }), run.starts.count < 50_000 {
            run.play(until: run.starts.count + 1)
        }
        let start = run.starts.first { $0.queue == 1 }
        let wait = start.map { $0.time - $0.readyAt } ?? .max
        #expect(wait <= 50_000 + length, "\(wait)")
    }

    @Test("CO1 A limit holds for operations on their way to a far worker too")
    func limited() {
        var run = ShareRun([Self.load(200, limit: 3, 10_000)], slots: [16], distances: [50_000])
        var most = 0
        while run.finishedCount < 200 {
            run.play(untilFinished: run.finishedCount + 1)
            most = max(most, run.sentCount - run.finishedCount)
        }
        #expect(most == 3)
    }

    @Test("A far worker that stops gives its attempts ahead back after its patience, and resumes")
    func stopped() {
        var run = ShareRun([Self.load(2000, 10_000)], slots: [8, 8], distances: [50_000, 50_000])
        run.play(untilFinished: 500)
        run.stop(0, for: 2_000_000)
        run.play(untilFinished: 2000)
        #expect(run.finishedCount == 2000)
    }
}
