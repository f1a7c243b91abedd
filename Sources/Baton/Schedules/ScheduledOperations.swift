@_spi(Baton) import BatonOperations
import Synchronization

/// Makes a submission of operations that stay free, so that a schedule can submit them again and again.
enum ScheduledOperations {
    /// Makes a submission of operations as they are now.
    ///
    /// - Throws: ``ClusterError`` `invalid`, `coding` or `tooLarge`.
    static func submission(
        of operations: [DistributedOperation],
        inQueue queue: String
    ) throws(ClusterError) -> Submission {
        var submission = Submission(queueNames: [], templates: [], entries: [])
        let positions = Dictionary(
            operations.enumerated().map { (ObjectIdentifier($1), $0) },
            uniquingKeysWith: { first, _ in first }
        )
        for operation in operations {
            var (template, entry) = try operation.options.parts(of: operation.makeWork())
            let (quality, chosen, dependencies) = operation.status.withLock { status in
                entry.name = status.name
                entry.priority = status.priority.stored
                entry.isHeld = status.isHeld
                entry.isBarrier = status.isBarrier
                return (status.quality, status.chosenQueue, status.dependencies)
            }
            template.qualityOfService = quality.map { BatonOperations.QualityOfService($0) }
            for dependency in dependencies {
                guard let target = dependency.operation, let position = positions[ObjectIdentifier(target)] else {
                    throw ClusterError(
                        .invalid,
                        "An operation of a schedule depends on one that is not part of it, which a later job would find gone."
                    )
                }
                entry.dependencies.append(Dependency(on: .entry(position), condition: dependency.condition.stored))
            }
            entry.template = submission.templates.firstIndex(of: template) ?? submission.templates.count
            if entry.template == submission.templates.count { submission.templates.append(template) }
            let name = chosen?.name ?? queue
            entry.queue = submission.queueNames.firstIndex(of: name) ?? submission.queueNames.count
            if entry.queue == submission.queueNames.count { submission.queueNames.append(name) }
            submission.entries.append(entry)
        }
        do throws(Refusal) {
            try submission.validated()
        } catch {
            throw ClusterError(error)
        }
        return submission
    }
}
