@_spi(Baton) import BatonDocuments
@_spi(Baton) import BatonOperations

/// The metrics of the coordinator and its cluster.
struct ClusterMetrics {
    /// The figures that the metrics show.
    let figures: MetricsDocument

    /// Writes the metrics.
    func write(to writer: inout MetricsWriter) {
        writeCoordinator(to: &writer)
        writeOperations(to: &writer)
        writeQueues(to: &writer)
        writeWorkers(to: &writer)
        writeTransfers(to: &writer)
        writeRecord(to: &writer)
    }

    private func writeCoordinator(to writer: inout MetricsWriter) {
        writer.begin("baton_build_info", .gauge, "Always 1; the label is the version of the coordinator.")
        writer.sample(1, ["version": figures.version])
        writer.begin("baton_coordinator_epoch", .gauge, "Starts of a coordinator on this record.")
        writer.sample(figures.epoch)
        writer.begin("baton_events_total", .counter, "Events in the life of the record.")
        writer.sample(figures.events)
        writer.begin("baton_loop_turn_seconds", .histogram, "Time of the coordinator's loop for a turn.")
        writer.sample(figures.turn, from: .microseconds(16))
        writer.begin("baton_jobs", .gauge, "Unfinished jobs by state.")
        for (state, count) in figures.jobs.sorted(by: { $0.key < $1.key }) { writer.sample(count, ["state": state]) }
        writer.begin("baton_jobs_finished_total", .counter, "Finished jobs by outcome.")
        for (outcome, count) in figures.jobsFinished.sorted(by: { $0.key < $1.key }) {
            writer.sample(count, ["outcome": outcome])
        }
    }

    private func writeOperations(to writer: inout MetricsWriter) {
        writer.begin("baton_operations", .gauge, "Unfinished operations by queue and state.")
        for queue in figures.queues {
            for state in OperationState.allCases where state != .finished {
                writer.sample(queue.counts[state], ["queue": queue.queue, "state": state.description])
            }
        }
        writer.begin("baton_operations_submitted_total", .counter, "Submitted operations by queue.")
        for queue in figures.queues { writer.sample(queue.submitted, ["queue": queue.queue]) }
        writer.begin("baton_operations_finished_total", .counter, "Finished operations by queue and outcome.")
        for queue in figures.queues {
            for outcome in Outcome.allCases {
                writer.sample(queue.counts[outcome], ["queue": queue.queue, "outcome": outcome.description])
            }
        }
        writer.begin("baton_attempts_total", .counter, "Ended attempts by their end.")
        for (end, count) in figures.attempts.sorted(by: { $0.key < $1.key }) { writer.sample(count, ["end": end]) }
    }

    private func writeQueues(to writer: inout MetricsWriter) {
        writer.begin(
            "baton_operation_wait_seconds",
            .histogram,
            "Time from ready to started of all attempts, by queue."
        )
        for queue in figures.queues {
            writer.sample(queue.wait, from: .milliseconds(1), ["queue": queue.queue])
        }
        writer.begin("baton_operation_run_seconds", .histogram, "Time of attempts as workers measured it, by queue.")
        for queue in figures.queues {
            writer.sample(queue.run, from: .milliseconds(1), ["queue": queue.queue])
        }
        writer.begin("baton_queue_limit", .gauge, "The most executing operations of a queue that has a limit.")
        for queue in figures.queues {
            if let limit = queue.maxConcurrent { writer.sample(limit, ["queue": queue.queue]) }
        }
        writer.begin("baton_queue_suspended", .gauge, "1 for a suspended queue, else 0.")
        for queue in figures.queues { writer.sample(queue.suspended ? 1 : 0, ["queue": queue.queue]) }
        let limits = figures.limits ?? []
        writer.begin("baton_limit_units", .gauge, "Units of a limit that several queues share.")
        for limit in limits { writer.sample(limit.units, ["limit": limit.limit]) }
        writer.begin("baton_limit_taken", .gauge, "Units of a shared limit that operations have taken.")
        for limit in limits { writer.sample(limit.taken, ["limit": limit.limit]) }
        writer.begin("baton_limit_waiting", .gauge, "Ready operations that take units of a shared limit.")
        for limit in limits { writer.sample(limit.waiting, ["limit": limit.limit]) }
    }

    private func writeWorkers(to writer: inout MetricsWriter) {
        writer.begin("baton_workers", .gauge, "Workers by state.")
        for (state, count) in figures.workerStates.sorted(by: { $0.key < $1.key }) {
            writer.sample(count, ["state": state])
        }
        writer.begin("baton_worker_slots", .gauge, "Attempts that a worker runs at once.")
        for worker in figures.workers { writer.sample(worker.slots, ["worker": worker.worker]) }
        writer.begin("baton_worker_executing", .gauge, "Attempts that a worker runs now.")
        for worker in figures.workers { writer.sample(worker.executing, ["worker": worker.worker]) }
        writer.begin("baton_worker_silence_seconds", .gauge, "Time since the last sign of life of a worker.")
        for worker in figures.workers {
            if let silence = worker.silentSeconds { writer.sample(silence, ["worker": worker.worker]) }
        }
    }

    private func writeTransfers(to writer: inout MetricsWriter) {
        let transfers = figures.transfers
        writer.begin("baton_file_connections", .gauge, "Workers with a connection for files.")
        writer.sample(transfers?.connections ?? 0)
        writer.begin(
            "baton_file_pieces",
            .gauge,
            "Pieces of files that were requested from workers and have not arrived."
        )
        writer.sample(transfers?.underWay ?? 0)
        writer.begin(
            "baton_file_bytes_total",
            .counter,
            "Bytes of files that the coordinator has passed on since its start."
        )
        writer.sample(transfers?.passedBytes ?? 0)
        writer.begin(
            "baton_file_direct_bytes_total",
            .counter,
            "Bytes of files that workers have received directly from each other, since the start of the coordinator."
        )
        writer.sample(transfers?.directBytes ?? 0)
    }

    private func writeRecord(to writer: inout MetricsWriter) {
        writer.begin("baton_store_commit_seconds", .histogram, "Time until changes handed to the record are on disk.")
        writer.sample(figures.commit, from: .microseconds(100))
        writer.begin("baton_store_failing", .gauge, "1 while the record cannot be written, else 0.")
        writer.sample(figures.recordFailing ? 1 : 0)
        if let bytes = figures.recordBytes {
            writer.begin("baton_store_bytes", .gauge, "Size of the record's file.")
            writer.sample(bytes)
        }
        if let bytes = figures.recordLogBytes {
            writer.begin("baton_store_wal_bytes", .gauge, "Size of the record's write-ahead log.")
            writer.sample(bytes)
        }
        if let bytes = figures.diskFreeBytes {
            writer.begin("baton_store_disk_free_bytes", .gauge, "Free space of the record's file system.")
            writer.sample(bytes)
        }
        if let bytes = figures.diskBytes {
            writer.begin("baton_store_disk_bytes", .gauge, "Size of the record's file system.")
            writer.sample(bytes)
        }
    }
}
