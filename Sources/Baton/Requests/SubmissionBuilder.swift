import Synchronization
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWire

/// Makes a submission of additions, with the dependencies and priorities that the operations have at this moment.
struct SubmissionBuilder {
    /// An addition that cannot be part of a submission.
    struct Failed: Error {
        /// Its position among the additions.
        var position: Int
        var error: ClusterError
    }

    private var submission: Submission
    private var queues: [String: Int] = [:]
    private var templates: [Template: Int] = [:]
    /// The positions of the operations, made when the first operation has a dependency.
    private var positions: [ObjectIdentifier: Int]?
    private let additions: [Addition]

    private init(_ additions: [Addition], name: String?, key: String?) {
        self.additions = additions
        submission = Submission(
            name: name,
            key: key ?? Self.randomKey(),
            queueNames: [],
            templates: [],
            entries: []
        )
        submission.entries.reserveCapacity(additions.count)
    }

    /// A key that no other submission has, so that a submission can be sent again and is taken once.
    private static func randomKey() -> String {
        "swift-" + String(UInt64.random(in: 0 ... .max), radix: 16) + String(UInt64.random(in: 0 ... .max), radix: 16)
    }

    /// Makes a submission; from now on, changes of the operations need requests of their own.
    ///
    /// - Parameter missing: gets the operations that wait for later additions; they are held until then (L6).
    static func build(
        _ additions: [Addition],
        name: String?,
        key: String?,
        missing: MissingAdditions
    ) -> Result<Submission, Failed> {
        var builder = SubmissionBuilder(additions, name: name, key: key)
        for (position, addition) in additions.enumerated() {
            do throws(ClusterError) {
                try builder.append(addition, missing: missing)
            } catch {
                return .failure(Failed(position: position, error: error))
            }
        }
        return .success(builder.submission)
    }

    private mutating func append(_ addition: Addition, missing: MissingAdditions) throws(ClusterError) {
        let operation = addition.operation
        var entry = addition.entry
        entry.template = position(of: addition.template)
        entry.queue = position(ofQueue: addition.queue.name)
        let dependencies = operation.status.withLock { status in
            status.place = .sent(addition.queue)
            entry.priority = status.priority.stored
            entry.isHeld = status.isHeld
            entry.isBarrier = status.isBarrier
            entry.isCancelled = status.isCancelled
            return status.dependencies
        }
        var later: [OperationDependency] = []
        for dependency in dependencies {
            if let operation = dependency.operation, let position = position(of: operation) {
                entry.dependencies.append(Dependency(on: .entry(position), condition: dependency.condition.stored))
            } else if let target = try Self.target(
                of: dependency,
                of: operation,
                at: addition.queue.cluster.coordinator
            ) {
                entry.dependencies.append(Dependency(on: .existing(target), condition: dependency.condition.stored))
            } else {
                later.append(dependency)
            }
        }
        if !later.isEmpty {
            entry.isHeld = true
            missing.note(operation, waitsFor: later)
        }
        submission.entries.append(entry)
    }

    private mutating func position(of template: Template) -> Int {
        // Neighbours are mostly equal, and comparing is cheaper than hashing.
        if let last = submission.entries.last?.template, submission.templates[last] == template { return last }
        if let known = templates[template] { return known }
        let position = submission.templates.count
        templates[template] = position
        submission.templates.append(template)
        return position
    }

    private mutating func position(ofQueue name: String) -> Int {
        if let known = queues[name] { return known }
        let position = submission.queueNames.count
        queues[name] = position
        submission.queueNames.append(name)
        return position
    }

    private mutating func position(of operation: DistributedOperation) -> Int? {
        if positions == nil {
            positions = Dictionary(
                additions.enumerated().map { (ObjectIdentifier($1.operation), $0) },
                uniquingKeysWith: { first, _ in first }
            )
        }
        return positions?[ObjectIdentifier(operation)]
    }

    /// The address of a dependency; nil for an operation that has not been added.
    ///
    /// - Throws: ``ClusterError`` `unknownDependency` for an operation whose addition was refused, and for an address that no
    ///   operation can have; `invalid` for an operation of another coordinator.
    static func target(
        of dependency: OperationDependency,
        of dependent: DistributedOperation,
        at coordinator: String
    ) throws(ClusterError) -> Address? {
        switch dependency.target {
        case .operation(let operation):
            let place = operation.status.withLock(\.place)
            if let other = place.queue?.cluster.coordinator, other != coordinator {
                throw .dependency(at: coordinator, on: other)
            }
            if case .refused = place {
                throw ClusterError(
                    .unknownDependency,
                    "An operation cannot be added, because \(operation.label(inDependenciesOf: dependent)) was refused."
                )
            }
            return place.id.map { .operation($0) }
        case .address(let address):
            guard let id = address.id else {
                throw ClusterError(.unknownDependency, "There is no operation \(address).")
            }
            return .operation(id)
        case .job(let number):
            guard let number = UInt32(exactly: number), number > 0 else {
                throw ClusterError(.unknownDependency, "There is no job \(number).")
            }
            return .job(JobNumber(number))
        }
    }
}

extension ClusterError {
    /// The error for a dependency between operations of two coordinators.
    static func dependency(at dependent: String, on target: String) -> ClusterError {
        ClusterError(
            .invalid,
            "An operation at \(dependent) cannot depend on one at \(target): dependencies do not cross coordinators."
        )
    }
}
