@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonTestValues

@_spi(Baton) @testable import BatonScheduler

/// Random submissions.
extension RandomRun {
    private static let program = Work(.commands([["program"]]))
    /// Operations for which not every failure is worth a retry, whose attempts may take longer after a timeout, and which leave a
    /// result also if they fail.
    private static let choosy: Template = {
        var template = Template(work: program, retries: 2)
        template.work.timeout = .seconds(1)
        template.work.keepResult = .always
        template.timeoutUpTo = .seconds(3)
        template.noRetryOn = [.statuses(64...66)]
        template.finalStatus = [.statuses(100...100)]
        return template
    }()
    private static let templates = [
        .noOperation, choosy, Template(work: program, onFinish: ["tell"]),
        Template(work: program, retries: 1, retryDelay: .seconds(1), restart: .never),
    ]
    /// The types of Swift operations.
    static let types = ["resize", "sepia"]
    private static let typedTemplates = types.map { Template(work: Work(.typed(type: $0, argument: []))) }

    mutating func submit() {
        let isOpen = hasOpenJobs && random.chance(40)
        var submission = Submission(
            key: random.chance(20) ? "key\(nextRequest)" : nil,
            queueChanges: random.chance(10) ? [queueChange()] : [],
            queueNames: queues,
            templates: Self.templates + Self.typedTemplates,
            entries: entries(count: random.number(isOpen ? 0...5 : 1...5))
        )
        submission.isOpen = isOpen
        let validated: ValidatedSubmission
        do throws(Refusal) {
            validated = try ValidatedSubmission(submission)
        } catch {
            expect(error.code == .cycle, "refused: \(error)")
            expect(model.hasCycle(submission), "refused for a cycle that is none: \(error)")
            return
        }
        let ends = ends(for: submission)
        let request = RequestID(rawValue: nextRequest)
        nextRequest += 1
        let event = Event.submit(validated, ends: ends, request: request)
        requests[request] = Request(event: event)
        apply(event)
    }

    /// Adds operations to a job, which is open most of the time.
    mutating func addOperations() {
        let open = random.chance(90) ? random.pick(model.openJobs.sorted()) : nil
        guard let job = open ?? random.pick(model.jobs.keys.sorted()) else { return }
        var entries = entries(count: random.number(1...4))
        for position in entries.indices where entries[position].name != nil {
            entries[position].name = "n\(position)\(random.number(0...9))"
        }
        let submission = Submission(
            key: random.chance(20) ? "key\(nextRequest)" : nil,
            queueNames: queues,
            templates: Self.templates + Self.typedTemplates,
            entries: entries
        )
        guard let validated = try? ValidatedSubmission(addition: submission) else { return }
        let taken = Set((model.entries[job] ?? []).compactMap(\.name))
        let request = RequestID(rawValue: nextRequest)
        nextRequest += 1
        let event = Event.add(validated, to: job, ends: ends(for: submission), request: request)
        requests[request] = Request(event: event)
        if !model.openJobs.contains(job) {
            requests[request]?.refusal = .invalid
        } else if entries.contains(where: { $0.name.map(taken.contains) ?? false }) {
            requests[request]?.refusal = .duplicateName
        } else if model.hasCycle(submission, addedTo: job) {
            requests[request]?.refusal = .cycle
        }
        apply(event)
    }

    /// The ends of the dependencies that the scheduler does not know any more.
    private func ends(for submission: Submission) -> [Address: DependencyEnd] {
        var ends: [Address: DependencyEnd] = [:]
        for address in scheduler.unknownDependencies(of: submission) {
            ends[address] = record.dependencyEnd(of: address)
        }
        return ends
    }

    private mutating func entries(count: Int) -> [Entry] {
        var ranks = Array(0..<count)
        ranks.shuffle(using: &random)
        var entries: [Entry] = []
        for position in 0..<count {
            var dependencies: [Dependency] = []
            // Dependencies point to lower ranks only: in any direction in the file, and without a cycle, unless a
            // barrier makes one.
            for target in 0..<count where ranks[target] < ranks[position] && random.chance(25) {
                dependencies.append(Dependency(on: .entry(target), condition: anyCondition()))
            }
            while random.chance(20), let address = earlierAddress() {
                dependencies.append(Dependency(on: .existing(address), condition: anyCondition()))
            }
            let isBarrier = random.chance(12)
            let isArray = !isBarrier && random.chance(35)
            let isTyped = !isArray && hasOpenJobs && random.chance(40)
            let typed = Self.templates.count + random.number(0...Self.typedTemplates.count - 1)
            entries.append(
                Entry(
                    name: random.chance(50) ? "n\(position)" : nil,
                    template: isTyped ? typed : random.number(0...Self.templates.count - 1),
                    queue: random.number(0...2),
                    priority: random.chance(60) ? .normal : Priority.allCases.randomElement(using: &random) ?? .low,
                    delay: random.chance(8) ? .milliseconds(random.number(0...9000)) : nil,
                    isHeld: random.chance(8),
                    isBarrier: isBarrier,
                    isCancelled: random.chance(4),
                    dependencies: dependencies,
                    array: isArray
                        ? .numbers(first: 0, step: 1, count: random.number(1...6)) : nil
                )
            )
        }
        return entries
    }

    private mutating func earlierAddress() -> Address? {
        guard let id = random.pick(model.ops)?.id else { return nil }
        if random.chance(30) { return .job(id.job) }
        let entry = model.entries[id.job]?.first { $0.range.contains(Int(id.index)) }
        // The shell has to look up the names of a finished job.
        if let entry, let name = entry.name, !entry.isArray, random.chance(50),
            scheduler.operation(named: name, in: id.job) != nil
        {
            return .named(id.job, name)
        }
        return .operation(id)
    }
}
