@_spi(Baton) import BatonDocuments
@_spi(Baton) import BatonOperations

/// The figures of a timeline, while pages come.
struct TimelineSums {
    /// The job.
    let job: JobNumber
    /// The window.
    let window: TimelineWindow
    /// What is later is unknown: the moment of the first page of an unfinished job.
    let horizon: Timestamp
    /// The slots of known workers.
    let slots: [String: Int]

    private let mostWorkers: Int
    private var finished: [Int]
    private var failed: [Int]
    /// The first row is that of unknown workers and of those beyond the limit.
    private var loads: LoadTable
    private var rows = NamePlaces()
    private var hasRest = false

    /// - Parameter first: the first page of the history.
    init(_ first: HistoryPage, _ window: TimelineWindow) {
        job = first.job
        self.window = window
        horizon = first.finishedAt == nil ? first.moment : .distantFuture
        slots = Dictionary(first.workers.map { ($0.name, Int($0.slots)) }) { $1 }
        mostWorkers = min(JobTimeline.mostWorkers, JobTimeline.mostFigures / window.count)
        finished = Array(repeating: 0, count: window.count)
        failed = finished
        loads = LoadTable(window)
        loads.addRow()
    }

    /// Counts operations that were finished at one moment.
    mutating func finish(_ count: Int, at moment: Timestamp, isFailure: Bool) {
        guard moment <= horizon, window.contains(moment) else { return }
        let bucket = window.bucket(window.offset(moment))
        finished[bucket] += count
        if isFailure { failed[bucket] += count }
    }

    /// Counts an attempt that touches the window.
    mutating func execute(on worker: String?, _ start: Timestamp, _ end: Timestamp) {
        loads.add(row: row(of: worker), window.offset(start), window.offset(end))
    }

    private mutating func row(of worker: String?) -> Int {
        guard let worker else {
            hasRest = true
            return 0
        }
        let row = rows.place(of: worker) {
            guard loads.rowCount <= mostWorkers else { return nil }
            loads.addRow()
            return loads.rowCount - 1
        }
        if row == nil { hasRest = true }
        return row ?? 0
    }

    /// The buckets, in order.
    var buckets: [TimelineDocument.Bucket] {
        var executing = [Double](repeating: 0, count: window.count)
        for row in 0..<loads.rowCount {
            for (bucket, load) in loads.loads(ofRow: row).enumerated() { executing[bucket] += load }
        }
        return executing.indices.map { bucket in
            TimelineDocument.Bucket(
                finished: finished[bucket],
                failed: failed[bucket],
                executing: Self.rounded(executing[bucket] / Double(window.length(ofBucket: bucket)))
            )
        }
    }

    /// The workers by name, and last the others together.
    var workers: [TimelineDocument.Worker] {
        var workers = rows.all.sorted { $0.key < $1.key }.map { worker, row in
            TimelineDocument.Worker(worker: worker, slots: slots[worker], busy: busy(ofRow: row, slots: slots[worker]))
        }
        if hasRest {
            workers.append(TimelineDocument.Worker(worker: nil, slots: nil, busy: busy(ofRow: 0, slots: nil)))
        }
        return workers
    }

    private func busy(ofRow row: Int, slots: Int?) -> [Double] {
        loads.loads(ofRow: row).enumerated().map { bucket, load in
            let mean = load / Double(window.length(ofBucket: bucket))
            // Late reports make attempts overlap that had one slot.
            return Self.rounded(slots.map { min(1, mean / Double(max(1, $0))) } ?? mean)
        }
    }

    /// A figure with three decimals.
    private static func rounded(_ figure: Double) -> Double {
        // Adds 0.5 instead of calling rounded(), which would need the C library's mathematics.
        figure < 1e12 ? Double(Int64(figure * 1_000 + 0.5)) / 1_000 : figure
    }
}

extension Timestamp {
    /// A moment behind all others.
    static let distantFuture = Timestamp(rawValue: .max)
}
