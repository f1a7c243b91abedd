@_spi(Baton) import BatonClient
@_spi(Baton) import BatonDocuments
public import Foundation
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWire

/// A schedule of the cluster, which starts jobs at its times.
///
/// The coordinator keeps schedules, and starts each of their jobs once, also over its restarts. ``Cluster`` adds and finds them.
public struct Schedule: Sendable {
    /// What happens at a time while the last job goes on.
    public enum Overlap: String, Hashable, Sendable {
        /// Nothing starts.
        case skip
        /// The start waits until the job is finished.
        case queue
        /// The job is cancelled, and the start waits until it is finished.
        case replace
    }

    /// Which of the times that were missed starts a job, such as those at which no coordinator ran.
    public enum CatchUp: String, Hashable, Sendable {
        /// The last of them.
        case last
        /// None of them.
        case none
    }

    /// What the coordinator tells of a schedule.
    public struct Status: Hashable, Sendable {
        /// The name of the schedule.
        public let name: String
        /// The times, as in crontab(5).
        public let cron: String
        /// The time zone by whose clocks the times are.
        public let timeZone: String
        /// Whether the schedule starts nothing until it is resumed.
        public let isPaused: Bool
        /// The next times: five, or one in ``Cluster/schedules()``.
        public let next: [Date]
        /// The time of the last start; nil before the first.
        public let lastTime: Date?
        /// The number of the last job; nil before the first.
        public let lastJob: Int?
    }

    /// The name of the schedule.
    public let name: String
    let cluster: Cluster

    /// Asks for the schedule's times, and what it started last.
    ///
    /// - Throws: ``ClusterError`` `notFound`, and `CancellationError` if the task is cancelled.
    public func status() async throws -> Status {
        let bytes = try await cluster.asking { channel throws(ClientError) in
            try await channel.document(.schedule(name))
        }
        guard let document = try? JSONDecoder().decode(ScheduleDocument.self, from: Data(bytes)) else {
            throw ClusterError.unreadable
        }
        return Status(document)
    }

    /// Submits now what the schedule submits, whatever its times are.
    ///
    /// - Throws: ``ClusterError`` `notFound`, and `CancellationError` if the task is cancelled.
    public func run() async throws -> Job {
        let job = try await cluster.asking { channel throws(ClientError) in try await channel.startSchedule(name) }
        return Job(job.number, name: nil, isNew: job.isNew, cluster: cluster)
    }

    /// Lets the schedule start nothing until it is resumed; what it has started goes on.
    ///
    /// - Throws: ``ClusterError`` `notFound`, and `CancellationError` if the task is cancelled.
    public func pause() async throws { try await change(.pause) }

    /// Lets a paused schedule go on with the next of its times.
    ///
    /// - Throws: ``ClusterError`` `notFound`, and `CancellationError` if the task is cancelled.
    public func resume() async throws { try await change(.resume) }

    /// Removes the schedule; what it has started goes on.
    ///
    /// - Throws: ``ClusterError`` `notFound`, and `CancellationError` if the task is cancelled.
    public func remove() async throws { try await change(.remove) }

    private func change(_ change: ScheduleChange) async throws {
        _ = try await cluster.asking { channel throws(ClientError) in
            try await channel.change(.changeSchedule(name, change))
        }
    }
}

extension Schedule.Status {
    init(_ document: ScheduleDocument) {
        func date(_ time: Timestamp) -> Date { Date(timeIntervalSince1970: Double(time.rawValue) / 1_000_000) }
        self.init(
            name: document.schedule,
            cron: document.cron,
            timeZone: document.timeZone,
            isPaused: document.paused,
            next: document.next.map(date),
            lastTime: document.lastTime.map(date),
            lastJob: document.lastJob.map { Int($0.rawValue) }
        )
    }
}
