@_spi(Baton) import BatonOperations

@_spi(Baton) @testable import BatonScheduler

extension Scheduler {
    /// Handles an event as a coordinator does, and returns the effects in order.
    ///
    /// - Parameter endingChanges: whether large changes take all their turns now.
    mutating func apply(_ event: Event, at now: Timestamp, endingChanges: Bool = true) -> [Effect] {
        apply([event], at: now, endingChanges: endingChanges)
    }

    /// Handles a batch of events as a coordinator does, and returns the effects in order.
    ///
    /// - Parameter endingChanges: whether large changes take all their turns now.
    mutating func apply(_ events: [Event], at now: Timestamp, endingChanges: Bool = true) -> [Effect] {
        var effects: [Effect] = []
        var buffer: [Effect] = []
        var batch = events
        repeat {
            for event in batch {
                enter(event, at: now)
                takeEffects(into: &buffer)
                effects += buffer
            }
            dispatch()
            takeEffects(into: &buffer)
            effects += buffer
            batch = [.changeContinued]
        } while endingChanges && hasTurnLeft
        return effects
    }

    /// Lets a worker join, with the session on disk at once.
    mutating func join(
        _ name: String,
        _ session: SessionID,
        slots: Int,
        types: [String] = [],
        at now: Timestamp
    ) -> [Effect] {
        var introduction = Cluster.introduction(name, session, slots: slots)
        introduction.types = types
        return apply(.workerJoined(introduction), at: now)
            + apply(.committed(.session(session)), at: now)
    }

    /// Adds a submission that is on disk at once.
    mutating func submit(
        _ submission: Submission,
        request: RequestID = RequestID(rawValue: 1),
        at now: Timestamp
    ) -> [Effect] {
        let job = recordState.nextJob
        return apply(.submit(submission.checked, ends: [:], request: request), at: now)
            + apply(.committed(.job(job)), at: now)
    }
}

extension Submission {
    /// The submission as a coordinator gives it to the scheduler; tests use this property for valid submissions only.
    var checked: ValidatedSubmission {
        do {
            return try ValidatedSubmission(self)
        } catch {
            fatalError("The test submits what is not valid: \(error)")
        }
    }
}

extension ClaimedAttempt {
    init(_ attempt: Dispatch, _ phase: Phase) {
        self.init(token: attempt.token, operation: attempt.operation, attempt: attempt.attempt, phase: phase)
        isHook = attempt.hookOutcome != nil
    }
}

extension Dispatch {
    var token: AttemptToken { assignment.token }
    var operation: OperationID { assignment.operation }
    var attempt: UInt32 { assignment.attempt }
    var name: String? { assignment.name }
    var turn: UInt64 { assignment.turn }
    var hasInputs: Bool { assignment.hasInputs }
    var qualityOfService: QualityOfService? { assignment.qualityOfService }
    var hookOutcome: Outcome? { assignment.hookOutcome }
    var isHook: Bool { assignment.isHook }
    var arrayNumber: Int64? { assignment.arrayNumber }
    var arrayItem: String? { assignment.arrayItem }
}

/// The operation at an index of a job.
func / (job: JobNumber, index: Int) -> OperationID {
    OperationID(job: job, index: UInt32(index))
}

extension Template {
    static let noOperation = Template(work: Work(.noOperation))

    static func typed(_ type: String) -> Template { Template(work: Work(.typed(type: type, argument: []))) }

    static func retrying(_ retries: UInt16, delay: Duration = .seconds(1)) -> Template {
        Template(work: Work(.noOperation), retries: retries, retryDelay: delay)
    }

    /// A template that takes units of shared limits.
    static func taking(_ units: [String: Int64]) -> Template {
        var template = Template.noOperation
        template.take = units
        return template
    }

    /// A template that asks for something; processors in thousandths, memory in bytes.
    static func asking(
        cpus: UInt32 = 0,
        memory: Int64? = nil,
        resources: [String: Int64] = [:],
        labels: [String] = [],
        expected: Duration? = nil,
        type: String? = nil
    ) -> Template {
        var work = Work(type.map { .typed(type: $0, argument: []) } ?? .commands([["true"]]))
        work.memory = memory
        work.resources = resources
        var template = Template(work: work, expected: expected)
        template.cpus = cpus
        template.labels = labels.compactMap { LabelCondition($0) }
        return template
    }
}

extension Entry {
    /// A single operation.
    static func op(
        _ name: String? = nil,
        at priority: Priority = .normal,
        queue: Int = 0,
        template: Int = 0,
        delay: Duration? = nil,
        on dependencies: Dependency...
    ) -> Entry {
        Entry(
            name: name,
            template: template,
            queue: queue,
            priority: priority,
            delay: delay,
            dependencies: dependencies
        )
    }

    /// An array of a number of operations.
    static func array(
        _ count: Int,
        name: String? = nil,
        at priority: Priority = .normal,
        queue: Int = 0,
        delay: Duration? = nil,
        on dependencies: Dependency...
    ) -> Entry {
        Entry(
            name: name,
            queue: queue,
            priority: priority,
            delay: delay,
            dependencies: dependencies,
            array: .numbers(first: 0, step: 1, count: count)
        )
    }
}

extension Dependency {
    static func after(_ entry: Int) -> Dependency { Dependency(on: .entry(entry)) }
    static func needs(_ entry: Int) -> Dependency { Dependency(on: .entry(entry), condition: .success) }
    static func onFailure(_ entry: Int) -> Dependency { Dependency(on: .entry(entry), condition: .failure) }
    static func onFailureOfAll(_ entry: Int) -> Dependency {
        Dependency(on: .entry(entry), condition: .failureOfAll)
    }
    static func afterElements(_ entry: Int) -> Dependency { Dependency(on: .elements(entry)) }
    static func needsElements(_ entry: Int) -> Dependency { Dependency(on: .elements(entry), condition: .success) }
    static func needsElements(_ address: Address) -> Dependency {
        Dependency(on: .existingElements(address), condition: .success)
    }
    static func after(_ id: OperationID) -> Dependency { Dependency(on: .existing(.operation(id))) }
    static func needs(_ id: OperationID) -> Dependency {
        Dependency(on: .existing(.operation(id)), condition: .success)
    }
    static func onFailure(_ id: OperationID) -> Dependency {
        Dependency(on: .existing(.operation(id)), condition: .failure)
    }
    static func on(_ address: Address, _ condition: DependencyCondition = .any) -> Dependency {
        Dependency(on: .existing(address), condition: condition)
    }
}

extension Scheduler {
    /// The queue that was created first.
    var firstQueue: QueueState {
        queues[Array(queues.indexes)[0]]
    }
}
