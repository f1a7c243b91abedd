@_spi(Baton) import BatonBenchmarks

/// The resources used by the processes of a benchmark's cluster up to a moment.
struct ClusterReading {
    var coordinator: ProcessReading
    /// The readings of the workers by process id.
    var workers: [Int32: ProcessReading]

    /// The processor time of the workers since an earlier reading.
    ///
    /// - Throws: ``CommandFailure`` if the set of workers has changed.
    func workerTime(since earlier: ClusterReading) throws(CommandFailure) -> Duration {
        guard Set(workers.keys) == Set(earlier.workers.keys) else {
            throw CommandFailure(
                ExitStatus.fault,
                code: "worker",
                "A worker of the benchmark ended during the measurement, so the figures would be meaningless. Try again; the "
                    + "reason is in the workers' messages on standard error."
            )
        }
        return workers.reduce(.zero) { sum, worker in
            sum + worker.value.processorTime - (earlier.workers[worker.key]?.processorTime ?? .zero)
        }
    }
}

extension Figures {
    /// Adds the processor time per operation since an earlier reading, and the current memory of the processes.
    mutating func add(_ reading: ClusterReading, since earlier: ClusterReading, operations: Int) throws(CommandFailure)
    {
        add(
            .coordinatorMicroseconds,
            reading.coordinator.processorTime - earlier.coordinator.processorTime,
            per: operations,
            in: .microseconds(1)
        )
        if !reading.workers.isEmpty {
            add(.workerMicroseconds, try reading.workerTime(since: earlier), per: operations, in: .microseconds(1))
        }
        addMemory(reading)
    }

    /// Adds the memory of the coordinator, and of the worker with the most memory.
    mutating func addMemory(_ reading: ClusterReading) {
        add(.coordinatorMegabytes, Self.megabytes(reading.coordinator.resident))
        add(.coordinatorPeakMegabytes, Self.megabytes(reading.coordinator.peak))
        add(.workerMegabytes, reading.workers.values.map(\.resident).max().map(Self.megabytes))
        add(.workerPeakMegabytes, reading.workers.values.map(\.peak).max().map(Self.megabytes))
    }

    /// Adds the memory of a coordinator that is started again.
    mutating func addMemoryBeforeRestart(_ reading: ClusterReading) {
        add(.coordinatorBeforeMegabytes, Self.megabytes(reading.coordinator.resident))
    }

    /// Adds the growth of the coordinator's memory since an earlier reading, now and at the peak.
    mutating func addGrowth(_ reading: ClusterReading, since earlier: ClusterReading, operations: Int) {
        let growth = reading.coordinator.resident - earlier.coordinator.resident
        add(.growthMegabytes, Self.megabytes(growth))
        add(.growthBytes, Double(growth) / Double(max(1, operations)))
        add(.peakGrowthMegabytes, Self.megabytes(reading.coordinator.peak - earlier.coordinator.resident))
    }

    private static func megabytes(_ bytes: Int64) -> Double { Double(bytes) / 1_000_000 }
}
