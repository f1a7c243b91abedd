@_spi(Baton) import BatonOperations
import Foundation
@_spi(Baton) import BatonTestValues
import Testing

@_spi(Baton) @testable import BatonScheduler

@Suite("Random placements", .timeLimit(.minutes(60)))
struct PlacementTests {
    /// The seeds to play: the single seed in BATON_SEED, or some of them.
    private static let seeds: [UInt64] = {
        let seed = ProcessInfo.processInfo.environment["BATON_SEED"].flatMap { UInt64($0) }
        return seed.map { [$0] } ?? Array(1...10)
    }()

    @Test("In random placements no worker is oversubscribed, and everything possible runs", arguments: seeds)
    func placements(seed: UInt64) {
        var run = PlacementRun(seed: seed, placements: (Thoroughness.isFull ? 20_000 : 2_000) / Self.seeds.count)
        run.play()
    }
}

/// A random history of operations with requests, and an account of what each worker runs that the scheduler has no part in.
private struct PlacementRun {
    private let seed: UInt64
    private let placements: Int
    private var random: SplitMix
    private var cluster: Cluster
    private var offers: [String: (slots: Int, offer: WorkerOffer)] = [:]
    private var templates: [Template] = []
    /// The requests of the operations that may be unfinished.
    private var requests: [OperationID: ResourceRequest] = [:]
    /// The operations of the attempts that were sent, and how many of them are noted.
    private var operations: [AttemptToken: OperationID] = [:]
    private var noted = 0
    private var jobs: [JobNumber] = []
    private var nextProcess: Int32 = 100

    init(seed: UInt64, placements: Int) {
        self.seed = seed
        self.placements = placements
        random = SplitMix(seed: seed)
        cluster = Cluster(
            Configuration(sendAhead: seed % 3 == 0 ? .atMost(0) : seed % 3 == 1 ? .atMost(3) : .automatic)
        )
        cluster.checkInterval = 200
    }

    mutating func play() {
        addWorkers()
        templates = (0..<12).map { _ in randomTemplate() } + [.noOperation]
        var steps = 0
        while cluster.started.count < placements {
            steps += 1
            guard steps < placements * 20 else { return expect(false, "it does not come to \(placements) placements") }
            step()
            checkPlacements()
        }
        resumeAll()
        finishPossible()
        let left = requests.keys.filter { cluster.state($0) != .finished && isPossible($0) }.sorted()
        expect(left.isEmpty, "possible operations never ran: \(left)")
        expect(cluster.scheduler.reservations.isEmpty, "reservations outlive their operations")
    }

    private mutating func addWorkers() {
        for number in 1...random.number(1...4) {
            let offer = WorkerOffer(
                cpus: random.number(0...8) * 500,
                memory: Int64(random.number(0...8)) << 28,
                resources: random.chance(60) ? ["gpu": random.number(1...4), "licence": random.number(1...2)] : [:],
                labels: ["zone": random.pick(["a", "b"]) ?? "a"]
            )
            offers["w\(number)"] = (random.number(1...6), offer)
            join("w\(number)")
        }
    }

    private mutating func join(_ name: String) {
        guard let (slots, offer) = offers[name], let number = UInt64(name.dropFirst()) else { return }
        nextProcess += 1
        cluster.join(name, slots: slots, processID: nextProcess, id: WorkerID(rawValue: number), offer: offer)
    }

    private mutating func randomTemplate() -> Template {
        var work = Work(.commands([["true"]]))
        if random.chance(40) { work.memory = Int64(random.number(1...9)) << 27 }
        if random.chance(30) { work.resources["gpu"] = Int64(random.number(1...4)) }
        if random.chance(10) { work.resources["licence"] = 1 }
        var template = Template(work: work, expected: random.chance(50) ? .seconds(random.number(1...60)) : nil)
        if random.chance(70) { template.cpus = UInt32(random.number(1...10) * 400) }
        if random.chance(15) { template.labels = [.equal("zone", "a")] }
        return template
    }

    private mutating func step() {
        switch random.number(0...99) {
        case 0..<25: submit()
        case 25..<80: if let operation = random.pick(cluster.running.keys.sorted()) { finish(operation) }
        case 80..<88: cluster.pass(random.time(.milliseconds(1), .seconds(5)))
        case 88..<91:
            if let job = jobs.suffix(10).randomElement(using: &random) {
                cluster.request { .cancel([.job(job)], request: $0) }
            }
        case 91..<93: cluster.suspend("q\(random.number(0...2))")
        case 93..<96: resumeAll()
        case 96..<97: cluster.setQueue("q\(random.number(0...2))", limit: random.chance(50) ? .atMost(3) : .unlimited)
        case 97..<98:
            if let job = jobs.suffix(5).randomElement(using: &random) {
                let priority = random.pick(Priority.allCases) ?? .normal
                cluster.request { .setPriority([.job(job)], priority, request: $0) }
            }
        default: replaceWorker()
        }
    }

    private mutating func finish(_ operation: OperationID) {
        let token = cluster.running[operation]?.token
        cluster.finish(operation, after: .milliseconds(random.number(0...50)))
        if cluster.running[operation]?.token == token { cluster.running[operation] = nil }
    }

    private mutating func submit() {
        // The workers are kept busy, and not buried.
        guard cluster.scheduler.counts.unfinished < 60 else { return cancelImpossible() }
        let entries = (0..<random.number(1...6)).map { _ in
            Entry.op(
                at: random.pick(Priority.allCases) ?? .normal,
                queue: random.number(0...2),
                template: random.number(0...templates.count - 1)
            )
        }
        let submission = Submission(queueNames: ["q0", "q1", "q2"], templates: templates, entries: entries)
        guard case .job(let job, _, _)? = cluster.answer(to: submission) else { return expect(false, "refused") }
        jobs.append(job)
        for (index, entry) in entries.enumerated() { requests[job / index] = templates[entry.template].request }
    }

    /// Makes room for operations that some worker can run.
    private mutating func cancelImpossible() {
        requests = requests.filter { cluster.state($0.key) != .finished }
        for operation in requests.keys.sorted() where !isPossible(operation) {
            cluster.request { .cancel([.operation(operation)], request: $0) }
        }
    }

    private mutating func resumeAll() {
        for number in 0...2 { cluster.resume("q\(number)") }
    }

    /// A worker leaves, and another process takes its name.
    private mutating func replaceWorker() {
        guard let worker = cluster.scheduler.allWorkers.randomElement(using: &random),
            let session = cluster.scheduler.session(ofWorker: worker.name)
        else { return }
        cluster.running = cluster.running.filter { $0.value.session != session }
        cluster.apply(.workerLeft(session))
        join(worker.name)
    }

    private mutating func finishPossible() {
        var rounds = 0
        while let operation = cluster.running.keys.min() {
            rounds += 1
            guard rounds < 100_000 else { return expect(false, "it never ends") }
            finish(operation)
            checkPlacements()
        }
    }

    private func isPossible(_ operation: OperationID) -> Bool {
        guard let request = requests[operation] else { return false }
        return offers.values.contains { $0.offer.hasRoom(for: request) && $0.offer.meetsLabels(of: request) }
    }

    /// Adds up what the simulated workers run and wait to run, and compares it with their offers.
    private mutating func checkPlacements() {
        for attempt in cluster.sent[noted...] { operations[attempt.token] = attempt.operation }
        noted = cluster.sent.count
        for worker in cluster.workers.values {
            guard let (slots, offer) = offers[worker.name] else { continue }
            var use = ResourceUse()
            for token in worker.running {
                guard let operation = operations[token], let request = requests[operation] else { continue }
                expect(offer.hasRoom(for: request, beside: use), "\(worker.name) has no room for \(operation)")
                expect(offer.meetsLabels(of: request), "\(worker.name) does not have the labels of \(operation)")
                use.add(request)
            }
            expect(worker.running.count <= slots, "\(worker.name) runs more than \(slots)")
        }
    }

    private func expect(_ condition: Bool, _ message: @autoclosure () -> String) {
        if !condition { Issue.record("seed \(seed): \(message()) (BATON_SEED=\(seed) replays it)") }
    }
}
