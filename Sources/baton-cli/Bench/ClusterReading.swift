import BatonBenchmarks

/// What the processes of a benchmark's cluster have used up to a moment.
struct ClusterReading {
    var coordinator: ProcessReading
    /// The workers by process.
    var workers: [Int32: ProcessReading]

    /// The processor time that the workers have used since an earlier reading.
    ///
    /// - Throws: ``CommandFailure`` where they are not the same workers any more.
    func workerTime(since earlier: ClusterReading) throws(CommandFailure) -> Duration {
        guard Set(workers.keys) == Set(earlier.workers.keys) else {
            throw CommandFailure(
                ExitStatus.fault,
                code: "worker",
                "A worker of the benchmark ended while it was measured, so the figures would say nothing. Try again; what the "
                    + "workers say on standard error tells why."
            )
        }
        return workers.reduce(.zero) { sum, worker in
            sum + worker.value.processorTime - (earlier.workers[worker.key]?.processorTime ?? .zero)
        }
    }
}

extension Figures {
    /// Adds what the processes have used for so many operations since an earlier reading, and what memory they have.
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

    /// Adds what memory the processes have; of the workers the one that has most.
    mutating func addMemory(_ reading: ClusterReading) {
        add(.coordinatorMegabytes, Self.megabytes(reading.coordinator.resident))
        add(.coordinatorPeakMegabytes, Self.megabytes(reading.coordinator.peak))
        add(.workerMegabytes, reading.workers.values.map(\.resident).max().map(Self.megabytes))
        add(.workerPeakMegabytes, reading.workers.values.map(\.peak).max().map(Self.megabytes))
    }

    /// Adds how much more memory the coordinator has than before.
    mutating func addGrowth(_ reading: ClusterReading, since earlier: ClusterReading, operations: Int) {
        let growth = reading.coordinator.resident - earlier.coordinator.resident
        add(.growthMegabytes, Self.megabytes(growth))
        add(.growthBytes, Double(growth) / Double(max(1, operations)))
    }

    private static func megabytes(_ bytes: Int64) -> Double { Double(bytes) / 1_000_000 }
}
