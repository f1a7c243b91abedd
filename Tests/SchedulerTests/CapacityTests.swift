import Foundation
@_spi(Baton) import BatonOperations
import Testing

@_spi(Baton) @testable import BatonScheduler

@Suite("Capacity", .serialized, .timeLimit(.minutes(60)))
struct CapacityTests {
    /// The number of operations of the simulated cluster: BATON_CAPACITY, or enough for a while of full load.
    private static let operations =
        ProcessInfo.processInfo.environment["BATON_CAPACITY"].flatMap { Int($0) } ?? 40_000

    @Test("The scheduler keeps 1,000 workers of 8 slots busy 98% of the time while operations are left to start")
    func keepsSlotsBusy() {
        var run = CapacityRun(workers: 1000, slots: 8, operations: Self.operations, seed: 1)
        run.play()
        let busy = run.busyShare
        print("seed 1: \(Self.operations) operations on 1,000 workers of 8 slots, busy \(busy)")
        #expect(run.scheduler.counts.succeeded == Self.operations)
        #expect(busy >= 0.98, "the slots were busy \(busy) of the time in which there was something to start")
    }

    @Test("The processor time of 20,000 operations on 1,000 workers is less than twice that on 10 workers")
    func costsTheSame() {
        // The same number of slots in all, so that only the number of workers differs.
        var few = CapacityRun(workers: 10, slots: 100, operations: 20_000, seed: 2)
        var many = CapacityRun(workers: 1000, slots: 1, operations: 20_000, seed: 2)
        few.play()
        many.play()
        #expect(many.schedulerTime < few.schedulerTime * 2, "\(few.schedulerTime) and \(many.schedulerTime)")
    }
}

/// One array of operations of random length; messages between scheduler and workers take half a millisecond.
private struct CapacityRun {
    private enum Arrival {
        case atWorker(Dispatch)
        case ended(Dispatch)
        case atCoordinator(Dispatch)
    }

    private struct Moment: Comparable {
        var time: Int64
        /// The order among arrivals of the same time: first come, first served.
        var number: Int
        var arrival: Arrival

        static func < (left: Moment, right: Moment) -> Bool { (left.time, left.number) < (right.time, right.number) }
        static func == (left: Moment, right: Moment) -> Bool { left.number == right.number }
    }

    /// The time of a message in either direction, in microseconds.
    private static let distance: Int64 = 500

    private(set) var scheduler = Scheduler()
    /// The scheduler's processor time.
    private(set) var schedulerTime = Duration.zero
    private let slotsInAll: Int
    private var random: SplitMix
    private var moments = BinaryHeap<Moment>()
    private var count = 0
    private var now: Int64 = 0
    private var lastStart: Int64 = 0
    private var spans: [(start: Int64, end: Int64)] = []

    init(workers: Int, slots: Int, operations: Int, seed: UInt64) {
        slotsInAll = workers * slots
        random = SplitMix(seed: seed)
        for worker in 1...workers {
            let session = SessionID(rawValue: UInt64(worker))
            _ = scheduler.join("w\(worker)", session, slots: slots, at: Timestamp(rawValue: 0))
        }
        let array = Entry(array: .numbers(first: 1, step: 1, count: operations))
        let submission = Submission(templates: [.noOperation], entries: [array])
        follow(scheduler.submit(submission, request: RequestID(rawValue: 1), at: Timestamp(rawValue: 0)))
    }

    /// The used share of the slots' time while operations were left to start.
    var busyShare: Double {
        let used = spans.reduce(0) { $0 + min($1.end, lastStart) - min($1.start, lastStart) }
        return Double(used) / Double(Int64(slotsInAll) * lastStart)
    }

    mutating func play() {
        while let moment = moments.removeMin() {
            now = moment.time
            switch moment.arrival {
            case .atWorker(let assignment):
                // Operations of this length are not prefetched, so the worker's slot is free.
                let length = Int64(random.next() % 1_980_000) + 20_000
                lastStart = now
                spans.append((now, now + length))
                add(.ended(assignment), after: length)
            case .ended(let assignment):
                add(.atCoordinator(assignment), after: Self.distance)
            case .atCoordinator(let assignment):
                apply(.attemptsStarted(assignment.session, [AttemptStart(assignment.token)]))
                let result = AttemptResult(end: .exited(0), microseconds: 1_000_000)
                apply(.attemptEnded(assignment.session, assignment.token, assignment.operation, result, seed: 0))
            }
        }
    }

    private mutating func apply(_ event: Event) {
        let start = ScaleTests.processorTime()
        let effects = scheduler.apply(event, at: Timestamp(rawValue: now))
        schedulerTime += ScaleTests.processorTime() - start
        follow(effects)
    }

    private mutating func follow(_ effects: [Effect]) {
        for effect in effects {
            switch effect {
            case .dispatch(let assignment): add(.atWorker(assignment), after: Self.distance)
            case .confirm(let milestone): apply(.committed(milestone))
            default: break
            }
        }
    }

    private mutating func add(_ arrival: Arrival, after time: Int64) {
        count += 1
        moments.insert(Moment(time: now + time, number: count, arrival: arrival))
    }
}
