@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonStore
@_spi(Baton) import BatonTestRecords
@_spi(Baton) import BatonTestValues
@_spi(Baton) import BatonWire

/// The requests of the clients: jobs of all kinds, and changes of jobs at any moment.
final class Workload {
    static let queues = ["a", "b", "c"]
    /// The limit of the first queue; the other queues have no limit.
    static let limit = 2
    /// The limit that the queues share, with its units.
    static let sharedLimit = LimitChange("licence", units: 2)

    private unowned let world: World
    private var random: SplitMix
    private var nextKey: Int
    /// Whether all operations shall come to their ends.
    private var isFinishing = false
    /// Whether clients send no more requests.
    private var isAbandoned = false
    /// The acknowledged jobs, with the number of their operations.
    private var jobs: [(number: JobNumber, operations: UInt32)] = []
    /// The acknowledged jobs that were opened.
    private var openJobs: [JobNumber] = []
    /// Whether the limit that the queues share is acknowledged, so that operations may take units of it.
    private var mayTakeUnits = false

    init(_ world: World, seed: UInt64) {
        self.world = world
        random = SplitMix(seed: seed)
        // Keys differ from the keys of an earlier workload.
        nextKey = 1 + 1_000_000 * (world.history.troubles[.recordReplaced] ?? 0)
    }

    func schedule() {
        guard let first = world.clients.first else { return }
        let limit = QueueChange(name: Self.queues[0], maxConcurrent: .atMost(Self.limit))
        first.ask(.setQueue(limit)) { [self] reply in
            if case .changed = reply { world.history.isLimited = !isFinishing }
        }
        if world.takesUnits {
            first.ask(.setLimit(Self.sharedLimit)) { [self] reply in
                if case .changed = reply { mayTakeUnits = true }
            }
        }
        for client in world.clients { watch(client, since: 0) }
        for position in 0..<world.settings.requests {
            let share = position < 3 ? Duration.milliseconds(300) : world.settings.troubleTime * 9 / 10
            let time = world.now + .milliseconds(50) + random.time(.zero, share)
            world.schedule(at: time, actor: World.troubleActor + 1) { [self] in act() }
        }
    }

    /// Lets all operations end: resumes suspended queues and releases held operations, until all jobs are finished.
    func finishAll() {
        guard let client = world.clients.first else { return }
        isFinishing = true
        world.history.isLimited = false
        for queue in Self.queues {
            world.history.willResume(queue)
            askToLetGo(client, .setQueue(QueueChange(name: queue, maxConcurrent: .unlimited, isSuspended: false)))
        }
        releaseAll(client)
    }

    private func releaseAll(_ client: ClientHost) {
        for summary in world.coordinator.disk.jobs where summary.finishedAt == nil {
            world.history.willRelease()
            askToLetGo(client, .release([.job(summary.number)]))
            if summary.isOpen { askToLetGo(client, .close([summary.number])) }
        }
        world.schedule(at: world.now + .seconds(10), actor: World.troubleActor + 1) { [self] in
            for queue in Self.queues {
                askToLetGo(client, .setQueue(QueueChange(name: queue, maxConcurrent: .unlimited, isSuspended: false)))
            }
            releaseAll(client)
        }
    }

    /// Sends no more requests.
    func abandon() { isAbandoned = true }

    private func act() {
        guard !isAbandoned, let client = random.pick(world.clients) else { return }
        let job = random.pick(jobs)
        let address = job.map { job in
            Address.operation(OperationID(job: job.number, index: UInt32(random.number(0...Int(job.operations) - 1))))
        }
        let queue = random.pick(Self.queues) ?? "a"
        switch random.number(0...99) {
        case ..<37: submit(client)
        case ..<43: add(client)
        case ..<45:
            if let job = random.pick(openJobs) { askToLetGo(client, .close([job])) } else { replaceSpareQueue(client) }
        case ..<55: if let job { wait(client, for: job.number) }
        case ..<63: if let address { cancel(client, [address], queue: nil) }
        case ..<66: if let job { cancel(client, [.job(job.number)], queue: nil) }
        case ..<68: cancel(client, [], queue: queue)
        case ..<73:
            client.ask(.setQueue(QueueChange(name: queue, isSuspended: true))) { [unowned world] reply in
                if case .changed(let report) = reply { world.history.suspended(queue, report, in: world) }
            }
        case ..<78:
            world.history.willResume(queue)
            askToLetGo(client, .setQueue(QueueChange(name: queue, isSuspended: false)))
        case ..<84:
            guard let address, case .operation(let id) = address else { return }
            client.ask(.hold([address])) { [unowned world] reply in
                if case .changed(let report) = reply { world.history.held(id, report, in: world) }
            }
        case ..<88:
            guard let address else { return }
            world.history.willRelease()
            askToLetGo(client, .release([address]))
        case ..<92:
            guard let job, let address, let priority = random.pick([Priority.veryLow, .low, .normal, .high, .veryHigh])
            else { return }
            // A new priority of a job makes one row of the elements that have not started; their starts split the row.
            let subject = random.chance(50) ? .job(job.number) : address
            client.ask(.setPriority([subject], priority)) { _ in }
        case ..<96:
            guard let address, let other = random.pick(jobs) else { return }
            let target = Address.operation(
                OperationID(job: other.number, index: UInt32(random.number(0...Int(other.operations) - 1)))
            )
            // The histories of earlier seeds stay as they are.
            let condition = random.pick([DependencyCondition.any, .success, .failure]) ?? .any
            let id: OperationID? = if case .operation(let id) = address { id } else { nil }
            if let id { world.history.willDepend(id) }
            client.ask(.depend(address, [ExistingDependency(on: target, condition: condition)])) { [unowned world] _ in
                if let id { world.history.depended(id, at: world.now) }
            }
        case ..<97:
            guard let address else { return }
            client.ask(.addCommand(address, ["added"])) { _ in }
        case ..<98:
            guard let address, let job else { return }
            let first = OperationID(job: job.number, index: 0)
            if case .operation(let id) = address { world.history.willUndepend(id) }
            askToLetGo(client, .undepend(address, [.operation(first)])) { [unowned world] reply in
                guard case .refused(let refusal) = reply, refusal.code == .storage else { return }
                if case .operation(let id) = address { world.history.dependenciesRemain(of: id) }
            }
        default:
            guard let job else { return }
            client.ask(.retry(job.number, again: job.number.rawValue.isMultiple(of: 2), key: key())) { [self] reply in
                if case .job(let number, let operations, _) = reply { jobs.append((number, operations)) }
            }
        }
    }

    // MARK: - Requests

    private func key() -> String {
        defer { nextKey += 1 }
        return "key\(nextKey)"
    }

    private func submit(_ client: ClientHost) {
        let submission = submission()
        world.history.willSubmit(submission, at: world.now)
        client.ask(.submit(submission)) { [self] reply in
            switch reply {
            case .job(let number, let operations, _):
                world.history.submitted(submission, as: number)
                world.fileWatch?.acknowledged(number, 0..<operations)
                if operations > 0 { jobs.append((number, operations)) }
                if submission.isOpen { openJobs.append(number) }
            case .refused(let refusal):
                world.history.refused(submission, refusal)
            default:
                world.history.report("a submission was answered with \(reply)")
            }
        }
    }

    /// Adds operations to a job that was opened, and may have been closed since.
    private func add(_ client: ClientHost) {
        guard !isFinishing, let job = random.pick(openJobs) else { return submit(client) }
        var submission = submission()
        submission.name = nil
        submission.isOpen = false
        submission.settings.tags = [:]
        submission.settings.keepFiles = nil
        let sent = submission
        world.history.willAdd(sent, to: job, at: world.now)
        client.ask(.add(sent, to: job)) { [self] reply in
            switch reply {
            case .added(let number, let first, let operations, _):
                world.history.added(sent, to: number, from: first)
                world.fileWatch?.acknowledged(number, first..<first + operations)
                guard let known = jobs.firstIndex(where: { $0.number == number }) else {
                    jobs.append((number, first + operations))
                    return
                }
                jobs[known].operations = max(jobs[known].operations, first + operations)
            case .refused(let refusal):
                world.history.additionRefused(sent, refusal)
            default:
                world.history.report("an addition was answered with \(reply)")
            }
        }
    }

    /// Sends a request that lets operations start.
    private func askToLetGo(_ client: ClientHost, _ request: Request, answer: @escaping (Reply) -> Void = { _ in }) {
        let asked = world.now
        client.ask(request) { [unowned world] reply in
            if case .refused(let refusal) = reply, refusal.code == .storage { world.history.notCommitted(since: asked) }
            answer(reply)
        }
    }

    /// Makes a queue that no operation is in, and deletes it.
    private func replaceSpareQueue(_ client: ClientHost) {
        client.ask(.setQueue(QueueChange(name: "spare", isSuspended: true))) { _ in
            client.ask(.deleteQueue("spare")) { _ in }
        }
    }

    private func cancel(_ client: ClientHost, _ addresses: [Address], queue: String?) {
        let meant = world.history.willCancel(addresses, queue: queue, in: world)
        askToLetGo(client, .cancel(addresses, queue: queue)) { [unowned world] reply in
            if case .changed(let report) = reply { world.history.cancelled(meant, report, in: world) }
        }
    }

    private func wait(_ client: ClientHost, for job: JobNumber) {
        client.ask(.wait([.job(job)], queue: nil, atMost: .seconds(2), waiter: nil)) { [self] reply in
            guard case .progress(let progress) = reply else { return }
            if progress.isFinished {
                world.history.waitEnded(job, in: world)
            } else {
                wait(client, for: job)
            }
        }
    }

    private func watch(_ client: ClientHost, since: UInt64) {
        // Every other client watches some of the jobs alone.
        let selection = client.index % 2 == 0 ? nil : EventStream.selection
        let request = Request.watch(since: since, limit: 50, atMost: .seconds(2), of: selection)
        client.ask(request, isEndless: true) { [self] reply in
            guard case .events(let page) = reply else {
                // The record could not be read just now.
                world.schedule(at: world.now + .milliseconds(500), actor: World.troubleActor + 1) { [self] in
                    if !isAbandoned { watch(client, since: since) }
                }
                return
            }
            world.history.watched(
                page,
                of: selection,
                since: since,
                by: client.index,
                history: world.settings.eventHistory
            )
            watch(client, since: page.last)
        }
    }

    // MARK: - Submissions

    private func submission() -> Submission {
        let key = key()
        var templates: [Template] = []
        var entries: [Entry] = []
        for position in 0..<random.number(1...8) {
            let isBarrier = random.chance(6)
            templates.append(template(isBarrier: isBarrier))
            var entry = Entry(
                template: position,
                queue: random.number(0...Self.queues.count - 1),
                priority: random.pick([Priority.low, .normal, .normal, .high]) ?? .normal,
                isBarrier: isBarrier
            )
            if random.chance(8) { entry.delay = random.time(.milliseconds(10), .seconds(2)) }
            if random.chance(5) { entry.isHeld = true }
            // A name that no addition to the job has either.
            if random.chance(20) { entry.name = "\(key).\(position)" }
            if random.chance(10), !isBarrier {
                let count = random.number(1...(random.chance(12) ? 30 : 4))
                entry.array =
                    random.chance(50) ? try? ArrayValues(range: "1-\(count)") : .lines((1...count).map { "line \($0)" })
            }
            if position > 0, random.chance(50) {
                let condition = random.pick([DependencyCondition.any, .any, .success, .success, .failure]) ?? .any
                entry.dependencies.append(Dependency(on: .entry(random.number(0...position - 1)), condition: condition))
            }
            if let job = random.pick(jobs), random.chance(15) {
                let target = OperationID(job: job.number, index: UInt32(random.number(0...Int(job.operations) - 1)))
                entry.dependencies.append(Dependency(on: .existing(.operation(target))))
            }
            entries.append(entry)
        }
        var submission = Submission(
            name: key,
            key: key,
            queueNames: Self.queues,
            templates: templates,
            entries: entries
        )
        submission.isOpen = random.chance(20)
        if random.chance(20) { submission.settings.tags = ["key": key] }
        world.fileWorkload?.decorate(&submission, after: jobs)
        return submission
    }

    private func template(isBarrier: Bool) -> Template {
        let duration = random.chance(70) ? random.number(1...30) : random.number(100...3000)
        let retries = random.chance(20) ? random.number(1...2) : 0
        var statuses = (0...retries).map { _ in random.chance(15) ? "1" : "0" }
        // Some failures of what is retried are timeouts, which let the next attempt take longer, and the last one is final.
        for position in statuses.indices where retries > 0 && statuses[position] == "1" {
            if position == retries {
                statuses[position] = "100"
            } else if (duration + position).isMultiple(of: 2) {
                statuses[position] = "timeout"
            }
        }
        let units = mayTakeUnits && duration.isMultiple(of: 3) ? Int64(1 + duration % 2) : 0
        let marks = (units > 0 ? ["units=\(units)"] : []) + (isBarrier ? ["barrier"] : [])
        let command = ["work", "\(duration)"] + statuses + marks
        var template = Template(
            work: Work(.commands([command]), timeout: retries > 0 ? .seconds(100) : nil),
            retries: UInt16(retries),
            retryDelay: .milliseconds(random.number(20...500)),
            onFinish: random.chance(10) ? ["hook", "5"] : nil
        )
        // Takes no random number of its own, so that the histories of known seeds hardly change.
        if duration.isMultiple(of: 13) { template.deadline = .seconds(4 + duration % 11) }
        if retries > 0 {
            template.timeoutUpTo = .seconds(300)
            template.finalStatus = [.statuses(100...100)]
        }
        if units > 0 { template.take = [Self.sharedLimit.name: units] }
        return template
    }
}
