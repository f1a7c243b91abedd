@_spi(Baton) import BatonClient
@_spi(Baton) import BatonDocuments
import Foundation
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWire

/// Adds and finds schedules.
extension Cluster {
    /// A schedule of the cluster, by its name; the coordinator is not asked whether there is one.
    public func schedule(_ name: String) -> Schedule { Schedule(name: Name.normalized(name), cluster: self) }

    /// Asks for all schedules, by name.
    ///
    /// - Throws: ``ClusterError``, and `CancellationError` if the task is cancelled.
    public func schedules() async throws -> [Schedule.Status] {
        let bytes = try await asking { channel throws(ClientError) in try await channel.document(.schedules) }
        guard let document = try? JSONDecoder().decode(ScheduleListDocument.self, from: Data(bytes)) else {
            throw ClusterError.unreadable
        }
        return document.schedules.map { Schedule.Status($0) }
    }

    /// Adds a schedule, and returns when the coordinator has it on disk.
    ///
    /// The operations are patterns: each start makes new operations of them, with their names, options and dependencies on each other, and
    /// the objects stay free. The same schedule again has no effect.
    ///
    /// - Parameters:
    ///   - name: the name of the schedule.
    ///   - cron: the times, as in crontab(5): minute, hour, day of the month, month and day of the week.
    ///   - timeZone: the time zone by whose clocks the times are, from the time zone database of the coordinator's host.
    ///   - overlap: what happens at a time while the last job goes on.
    ///   - catchUp: which of missed times starts a job.
    ///   - queue: the queue of operations that name no other.
    ///   - operations: what each start submits.
    /// - Throws: ``ClusterError`` `invalid` for times, a time zone or operations that cannot be, and for dependencies on other
    ///   operations; `keyConflict` if there is another schedule of the name; and `CancellationError` if the task is cancelled.
    @discardableResult
    public func addSchedule(
        _ name: String,
        cron: String,
        timeZone: String = "UTC",
        overlap: Schedule.Overlap = .skip,
        catchUp: Schedule.CatchUp = .last,
        queue: String = "default",
        operations: [DistributedOperation]
    ) async throws -> Schedule {
        let request = Request.addSchedule(
            try Self.settings(Name.normalized(name), cron, timeZone, overlap, catchUp),
            try ScheduledOperations.submission(of: operations, inQueue: Name.normalized(queue))
        )
        _ = try await asking { channel throws(ClientError) in try await channel.change(request) }
        return schedule(name)
    }

    private static func settings(
        _ name: String,
        _ cron: String,
        _ timeZone: String,
        _ overlap: Schedule.Overlap,
        _ catchUp: Schedule.CatchUp
    ) throws(ClusterError) -> ScheduleSettings {
        do throws(Refusal) {
            let settings = ScheduleSettings(
                name: name,
                cron: try CronExpression(cron),
                timeZone: timeZone,
                overlap: ScheduleOverlap(overlap.rawValue) ?? .skip,
                catchUp: ScheduleCatchUp(catchUp.rawValue) ?? .last
            )
            try settings.validated()
            return settings
        } catch {
            throw ClusterError(error)
        }
    }
}
