@_spi(Baton) import BatonOperations
import Testing

@_spi(Baton) @testable import BatonScheduler

/// Requests of clients.
extension Cluster {
    /// Sends a request; the answer may come later.
    @discardableResult
    mutating func request(
        sourceLocation: SourceLocation = #_sourceLocation,
        _ event: (RequestID) -> Event
    ) -> RequestID {
        let request = RequestID(rawValue: nextRequest, by: requester)
        nextRequest += 1
        apply(event(request), sourceLocation: sourceLocation)
        return request
    }

    /// Sends a request and returns the answer; nil without an answer so far.
    mutating func answer(
        sourceLocation: SourceLocation = #_sourceLocation,
        to event: (RequestID) -> Event
    ) -> Answer? {
        answers[request(sourceLocation: sourceLocation, event)]
    }

    /// Sends a request and returns the changes; nil for a refused request, or without an answer so far.
    mutating func changes(
        sourceLocation: SourceLocation = #_sourceLocation,
        of event: (RequestID) -> Event
    ) -> ChangeReport? {
        let request = request(sourceLocation: sourceLocation, event)
        return report(request)
    }

    /// The changes of a request; nil for a refused request, or without an answer so far.
    func report(_ request: RequestID) -> ChangeReport? {
        if case .changed(let report)? = answers[request] { report } else { nil }
    }

    /// Submits entries, and expects a job, perhaps with an answer that waits for workers.
    @discardableResult
    mutating func submit(
        _ entries: Entry...,
        queues: [String] = ["default"],
        templates: [Template] = [.noOperation],
        settings: JobSettings = JobSettings(),
        ends: [Address: DependencyEnd] = [:],
        sourceLocation: SourceLocation = #_sourceLocation
    ) -> JobNumber {
        var submission = Submission(queueNames: queues, templates: templates, entries: entries)
        submission.settings = settings
        let expected = JobNumber((record.jobs.keys.max()?.rawValue ?? 0) + 1)
        _ = answer(to: submission, ends: ends, sourceLocation: sourceLocation)
        if record.jobs[expected] == nil { Issue.record("refused: \(effects)", sourceLocation: sourceLocation) }
        return expected
    }

    /// Sends a submission and returns the answer.
    mutating func answer(
        to submission: Submission,
        ends: [Address: DependencyEnd] = [:],
        sourceLocation: SourceLocation = #_sourceLocation
    ) -> Answer? {
        var ends = ends
        let unknown = scheduler.unknownDependencies(of: submission)
        for address in unknown { ends[address] = ends[address] ?? record.dependencyEnd(of: address) }
        tellFiles(of: unknown, sourceLocation: sourceLocation)
        do throws(Refusal) {
            var validated = try ValidatedSubmission(submission)
            for address in scheduler.unknownElements(of: validated) {
                guard let (range, known) = record.elements(of: address) else { continue }
                tellFiles(of: [address], sourceLocation: sourceLocation)
                try validated.noteElements(of: address, range, known)
            }
            return answer(sourceLocation: sourceLocation) { .submit(validated, ends: ends, request: $0) }
        } catch {
            // The coordinator refuses an invalid submission without the scheduler.
            effects = []
            return .refused(error)
        }
    }

    /// Cancels operations and returns their number; nil without an answer so far.
    @discardableResult
    mutating func cancel(
        _ targets: OperationSelection...,
        sourceLocation: SourceLocation = #_sourceLocation
    ) -> Int? {
        let request = request(sourceLocation: sourceLocation) { .cancel(targets, request: $0) }
        return report(request)?.changed
    }

    @discardableResult
    mutating func hold(
        _ targets: OperationSelection...,
        sourceLocation: SourceLocation = #_sourceLocation
    ) -> ChangeReport? {
        let request = request(sourceLocation: sourceLocation) { .hold(targets, request: $0) }
        return report(request)
    }

    @discardableResult
    mutating func release(
        _ targets: OperationSelection...,
        sourceLocation: SourceLocation = #_sourceLocation
    ) -> ChangeReport? {
        let request = request(sourceLocation: sourceLocation) { .release(targets, request: $0) }
        return report(request)
    }

    @discardableResult
    mutating func setPriority(
        _ targets: OperationSelection...,
        to priority: Priority,
        sourceLocation: SourceLocation = #_sourceLocation
    ) -> ChangeReport? {
        let request = request(sourceLocation: sourceLocation) { .setPriority(targets, priority, request: $0) }
        return report(request)
    }

    /// Adds dependencies to an operation; names of finished operations are not looked up.
    mutating func depend(
        _ id: OperationID,
        _ dependencies: Dependency...,
        sourceLocation: SourceLocation = #_sourceLocation
    ) -> Answer? {
        let event = dependEvent(id, dependencies)
        let targets = dependencies.compactMap { dependency in
            if case .existing(let address) = dependency.target { address } else { nil }
        }
        tellFiles(of: scheduler.unknownTargets(targets), sourceLocation: sourceLocation)
        return answer(sourceLocation: sourceLocation, to: event)
    }

    /// The request for dependencies, with the outcomes of the finished operations among the targets.
    func dependEvent(_ id: OperationID, _ dependencies: [Dependency]) -> (RequestID) -> Event {
        let targets = dependencies.compactMap { dependency in
            if case .existing(let address) = dependency.target { address } else { nil }
        }
        var ends: [Address: DependencyEnd] = [:]
        for address in scheduler.unknownTargets(targets) { ends[address] = record.dependencyEnd(of: address) }
        return { [ends] in .depend(id, dependencies, ends: ends, request: $0) }
    }

    /// Adds a program to an operation.
    mutating func addCommand(
        _ command: [String],
        to id: OperationID,
        sourceLocation: SourceLocation = #_sourceLocation
    ) -> Answer? {
        answer(sourceLocation: sourceLocation) { .addCommand(id, command, request: $0) }
    }

    @discardableResult
    mutating func undepend(
        _ id: OperationID,
        _ targets: Address...,
        sourceLocation: SourceLocation = #_sourceLocation
    ) -> ChangeReport? {
        let request = request(sourceLocation: sourceLocation) { .undepend(id, targets, request: $0) }
        return report(request)
    }

    @discardableResult
    mutating func suspend(_ queue: String, sourceLocation: SourceLocation = #_sourceLocation) -> ChangeReport? {
        let change = QueueChange(name: queue, isSuspended: true)
        let request = request(sourceLocation: sourceLocation) { .setQueue(change, request: $0) }
        return report(request)
    }

    @discardableResult
    mutating func resume(_ queue: String, sourceLocation: SourceLocation = #_sourceLocation) -> ChangeReport? {
        let change = QueueChange(name: queue, isSuspended: false)
        let request = request(sourceLocation: sourceLocation) { .setQueue(change, request: $0) }
        return report(request)
    }

    /// Sets a queue's limit, class or total.
    @discardableResult
    mutating func setQueue(
        _ name: String,
        limit: QueueChange.Limit? = nil,
        qualityOfService: QualityOfService? = nil,
        total: Int? = nil,
        sourceLocation: SourceLocation = #_sourceLocation
    ) -> Answer? {
        let change = QueueChange(name: name, maxConcurrent: limit, qualityOfService: qualityOfService, total: total)
        return answer(sourceLocation: sourceLocation) { .setQueue(change, request: $0) }
    }

    /// Sets the units of a limit that several queues share.
    @discardableResult
    mutating func setLimit(
        _ name: String,
        to units: UInt32,
        sourceLocation: SourceLocation = #_sourceLocation
    ) -> Answer? {
        answer(sourceLocation: sourceLocation) { .setLimit(LimitChange(name, units: units), request: $0) }
    }

    /// Lets an executing operation report its progress.
    @discardableResult
    mutating func reportProgress(
        _ id: OperationID,
        _ fraction: Double,
        attempt: UInt32 = 1,
        sourceLocation: SourceLocation = #_sourceLocation
    ) -> ChangeReport? {
        let progress = OperationProgress(fraction: fraction)
        let request = request(sourceLocation: sourceLocation) {
            .reportProgress(id, attempt: attempt, progress, request: $0)
        }
        return report(request)
    }
}
