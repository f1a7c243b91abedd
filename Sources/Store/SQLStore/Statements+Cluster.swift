extension Statements {
    /// Queues, limits, workers and schedules.
    struct Cluster {
        let writeQueue = Statement(replacing: QueueColumn.self, in: "queues")
        let deleteQueue = Statement("DELETE FROM queues WHERE name = :name")
        let queues = Statement(reading: QueueColumn.self, "FROM queues")
        let writeTotals = Statement(replacing: TotalColumn.self, in: "totals")
        let totals = Statement(reading: TotalColumn.self, "FROM totals WHERE id = 1")
        let writeQueueTotals = Statement(replacing: QueueTotalColumn.self, in: "queue_totals")
        let deleteQueueTotals = Statement("DELETE FROM queue_totals WHERE name = :name")
        let queueTotals = Statement(reading: QueueTotalColumn.self, "FROM queue_totals")
        let insertWorker = Statement(replacing: WorkerColumn.self, in: "workers")
        let deleteWorker = Statement("DELETE FROM workers WHERE name = :name")
        let workers = Statement(reading: WorkerColumn.self, "FROM workers")
        let writeDrain = Statement(replacing: DrainColumn.self, in: "drains")
        let deleteDrain = Statement("DELETE FROM drains WHERE id = :id")
        let drains = Statement(reading: DrainColumn.self, "FROM drains")
        let writePause = Statement(replacing: PauseColumn.self, in: "pauses")
        let deletePause = Statement("DELETE FROM pauses WHERE job = :job AND operation = :operation")
        let pauses = Statement(reading: PauseColumn.self, "FROM pauses")
        let writeSchedule = Statement(replacing: ScheduleColumn.self, in: "schedules")
        let writeScheduleState = Statement(
            writing: ScheduleStateColumn.self,
            "UPDATE schedules SET \(ScheduleStateColumn.assignments(except: .name)) WHERE name = :name"
        )
        let deleteSchedule = Statement("DELETE FROM schedules WHERE name = :name")
        let schedules = Statement(reading: ScheduleColumn.self, "FROM schedules")
        let scheduleStates = Statement(reading: ScheduleStateColumn.self, "FROM schedules")
        let writeSharedLimit = Statement(replacing: SharedLimitColumn.self, in: "shared_limits")
        let deleteSharedLimit = Statement("DELETE FROM shared_limits WHERE name = :name")
        let sharedLimits = Statement(reading: SharedLimitColumn.self, "FROM shared_limits")
    }
}
