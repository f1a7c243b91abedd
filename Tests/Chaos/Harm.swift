@_spi(Baton) import BatonChaosChecks
@_spi(Baton) import BatonNetworkFaults
@_spi(Baton) import BatonOperations

/// Kills, stops, cuts off and cancels during the run.
struct Harm {
    let coordinator: Node
    let workers: [Node]
    let clients: Clients
    let ledger: Ledger
    let journal: JournalFile
    let kills: Int
    /// The approximate final length of the journal.
    let expectedLength: Int

    /// The time between two looks at the progress.
    private static let interval = Duration.milliseconds(5)

    /// Does harm until enough kills or the cancellation of the task, and returns after all processes run again.
    ///
    /// The moments are spread over the progress of the journal. Without progress, as while a restarted coordinator
    /// waits for its workers, the next harm comes after some seconds.
    func carryOut(using random: inout SplitMix) async throws {
        // The gap is a little shorter than needed, as cancelled and skipped operations write nothing.
        let gap = max(1, expectedLength * 4 / 5 / max(1, kills))
        try await withThrowingTaskGroup { group in
            while await ledger.counts.kills < kills, !Task.isCancelled {
                let length = journal.length + Int.random(in: 0...(2 * gap), using: &random)
                let deadline = ContinuousClock.now + random.duration(1000...8000)
                while journal.length < length, ContinuousClock.now < deadline, !Task.isCancelled {
                    try? await Task.sleep(for: Self.interval)
                }
                if Task.isCancelled { break }
                let (first, second) = (random.next(), random.next())
                group.addTask { [self] in
                    var random = SplitMix(seed: first)
                    await killOne(using: &random)
                }
                group.addTask { [self] in
                    var random = SplitMix(seed: second)
                    if random.chance(50) { try await doMore(using: &random) }
                }
            }
            try await group.waitForAll()
        }
    }

    private func killOne(using random: inout SplitMix) async {
        let isCoordinator = random.chance(20)
        let pause = random.chance(12) ? random.duration(2000...4000) : random.duration(0...300)
        let node = isCoordinator ? coordinator : workers[Int.random(in: workers.indices, using: &random)]
        guard await node.kill() else { return }
        await ledger.count(isCoordinator ? \.coordinatorKills : \.workerKills)
        await node.revive(after: pause)
    }

    private func doMore(using random: inout SplitMix) async throws {
        switch Int.random(in: 0..<100, using: &random) {
        case ..<40:
            let node = random.chance(20) ? coordinator : workers[Int.random(in: workers.indices, using: &random)]
            if await node.stop(for: random.duration(50...2000)) { await ledger.count(\.stops) }
        case ..<65:
            let mode: Relay.Mode = random.chance(50) ? .silent : .refusing
            // Some cuts are longer than the time until a worker becomes suspect.
            let duration = random.chance(10) ? random.duration(11_000...13_000) : random.duration(100...3000)
            let relayed = workers.filter { $0.relay != nil }
            guard let worker = relayed.randomElement(using: &random) else { return }
            if await worker.cut(mode, for: duration) { await ledger.count(\.cuts) }
        default:
            let open = await ledger.open.sorted { $0.key < $1.key }
            guard let (job, count) = open.randomElement(using: &random) else { return }
            let operations = (0..<Int.random(in: 1...5, using: &random)).map { _ in
                Int.random(in: 0..<count, using: &random)
            }
            try await clients.cancel(job: job, operations: random.chance(4) ? [] : Array(Set(operations)).sorted())
        }
    }
}
