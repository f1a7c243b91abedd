@_spi(Baton) import BatonOperations
import Testing

@_spi(Baton) @testable import BatonScheduler

/// A random history of operations that take units of shared limits, with a check of each step.
struct SharedLimitRun {
    private static let queues = ["a", "b", "c"]
    private static let limits = ["x", "y"]

    private var random: SplitMix
    private var cluster = Cluster()
    private var jobs: [JobNumber] = []
    /// Whether there are always more slots than operations: only then an operation that may take its units starts at once.
    private let hasManySlots: Bool
    /// What was wrong.
    private(set) var faults: [String] = []

    init(seed: UInt64) {
        random = SplitMix(seed: seed)
        hasManySlots = seed % 2 == 0
    }

    mutating func run() {
        for number in 1...2 { join(number) }
        for name in Self.limits { cluster.setLimit(name, to: UInt32.random(in: 1...3, using: &random)) }
        for _ in 0..<60 { step() }
        for name in Self.limits { cluster.setLimit(name, to: 3) }
        for name in Self.queues {
            cluster.setQueue(name, limit: .unlimited)
            cluster.resume(name)
        }
        for job in jobs { cluster.release(.job(job)) }
        cluster.finishAll()
        for job in jobs where cluster.record.finished[job] == nil { faults.append("job \(job) did not end") }
        for name in Self.limits where cluster.scheduler.limits[name]?.taken != 0 {
            faults.append("\(name) is still taken")
        }
    }

    private mutating func join(_ number: Int) {
        let slots = hasManySlots ? 200 : Int.random(in: 1...3, using: &random)
        cluster.join("w\(number)", slots: slots, id: WorkerID(rawValue: UInt64(number)))
    }

    private mutating func step() {
        let earlier = cluster.sent.count
        act()
        check(Array(cluster.sent.dropFirst(earlier)))
    }

    private mutating func act() {
        let queue = Self.queues.randomElement(using: &random) ?? "a"
        let limit = Self.limits.randomElement(using: &random) ?? "x"
        let target = jobs.randomElement(using: &random).map { OperationSelection.operation($0 / 0) }
        switch Int.random(in: 0..<24, using: &random) {
        case 0..<8: submit(to: queue)
        case 8: cluster.setLimit(limit, to: UInt32.random(in: 0...3, using: &random))
        case 9: cluster.suspend(queue)
        case 10, 11: cluster.resume(queue)
        case 12:
            let limits: [QueueChange.Limit] = [.atMost(1), .atMost(2), .unlimited]
            cluster.setQueue(queue, limit: limits.randomElement(using: &random) ?? .unlimited)
        case 13: if let target { cluster.setPriority(target, to: .high) }
        case 14: if let target { cluster.hold(target) }
        case 15: if let target { cluster.release(target) }
        case 16: if let target { cluster.cancel(target) }
        case 17 where jobs.count % 7 == 3:
            cluster.restart()
            for number in 1...2 { join(number) }
        default:
            guard let next = cluster.running.keys.sorted().randomElement(using: &random) else { return }
            cluster.finish(next)
        }
    }

    private mutating func submit(to queue: String) {
        var take: [String: Int64] = [:]
        for name in Self.limits where Bool.random(using: &random) { take[name] = .random(in: 1...3, using: &random) }
        let priority: Priority = Int.random(in: 0..<4, using: &random) == 0 ? .high : .normal
        let entries = (0..<Int.random(in: 1...3, using: &random)).map { _ in Entry.op(at: priority) }
        let submission = Submission(queueNames: [queue], templates: [.taking(take)], entries: entries)
        let number = JobNumber((cluster.record.jobs.keys.max()?.rawValue ?? 0) + 1)
        _ = cluster.answer(to: submission)
        jobs.append(number)
    }

    /// Checks what the operations take that were sent in a step, and that none of them came before one that comes first.
    private mutating func check(_ sent: [Dispatch]) {
        let graph = cluster.scheduler.graph
        for attempt in sent {
            guard let place = graph.node(for: attempt.operation), let own = graph.request(of: graph[place])?.limits
            else {
                continue
            }
            for name in own.keys {
                guard let limit = cluster.scheduler.limits[name], limit.taken > limit.units else { continue }
                faults.append("\(attempt.operation) took more of \(name) than there was")
            }
            guard hasManySlots else { continue }
            for other in graph.nodeIndexes where graph[other].rank < graph[place].rank && couldStart(other) {
                let wanted = graph.request(of: graph[other])?.limits ?? [:]
                // Of several limits, one may be left to others while the operation waits for the other one.
                guard wanted.count == 1, let name = wanted.keys.first, own[name] != nil else { continue }
                faults.append("\(attempt.operation) came before \(graph.id(at: other)) at \(name)")
            }
        }
    }

    /// Whether an operation waits for nothing but its limits.
    private func couldStart(_ place: NodeIndex) -> Bool {
        let (scheduler, node) = (cluster.scheduler, cluster.scheduler.graph[place])
        let queue = scheduler.queues[node.queue]
        return !scheduler.reconciliation.isOpen && node.hasTurn && !queue.settings.isSuspended && queue.isBelowLimit
            && (scheduler.graph.request(of: node)?.limits ?? [:]).allSatisfy { name, number in
                number <= scheduler.limits[name]?.units ?? 0
            }
    }
}
