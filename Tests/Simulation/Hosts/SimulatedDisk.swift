import BatonMemoryDisk
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonStore
import BatonTestRecords

/// The disk of the coordinator's host, with the record: the SQL and the files are the real ones, and the disk fills up, fails and
/// loses its power.
final class SimulatedDisk {
    private var disk: MemoryDisk
    private let eventHistory: UInt64
    /// The record, as the present process has it open, and between two processes as the next one finds it.
    private var record: Result<SQLStore, StoreError>
    /// What the record has to know.
    var ledger: Ledger
    /// The incarnations of the coordinators that have used the record; a copy begins with none.
    var incarnations: Set<Incarnation> = []
    /// The number of coordinators' lives before the first epoch of the record.
    var livesBefore = 0
    /// Whether the disk is full.
    var isFull = false { didSet { disk.setFull(isFull) } }
    /// Whether the power will fail in one of the next writes, or has failed.
    private(set) var isLosingPower = false

    /// An empty record: each run begins with a copy, because the making of the tables takes longer than some runs.
    private static let emptyRecord: MemoryDisk = {
        let disk = MemoryDisk()
        // A record that cannot be made shows at the opening of the copy.
        if let store = try? SQLStore(on: disk) { store.close() }
        return disk
    }()

    /// Makes a disk with an empty record.
    convenience init(eventHistory: UInt64) {
        self.init(Self.emptyRecord.copy(), Ledger(), eventHistory)
    }

    private init(_ disk: MemoryDisk, _ ledger: Ledger, _ eventHistory: UInt64) {
        self.disk = disk
        self.ledger = ledger
        self.eventHistory = eventHistory
        record = Self.record(on: disk, eventHistory)
    }

    /// Returns another disk with the same record, as by a backup.
    func copy() -> SimulatedDisk { SimulatedDisk(disk.copy(), ledger, eventHistory) }

    /// Opens the record for the present process.
    func open(as incarnation: Incarnation) throws(StoreError) -> (store: SQLStore, state: StoredState) {
        let store = try record.get()
        return (store, try store.open(as: incarnation))
    }

    /// Raises the epoch without a coordinator, as at the promotion of a replica that may lack the latest starts.
    func raiseEpoch(by count: UInt32, using random: inout SplitMix) {
        for _ in 0..<count { _ = try? store?.open(as: .random(using: &random)) }
        endProcess(losingUnsynced: nil)
    }

    /// The record for questions of the checks; nil if it cannot be read.
    var store: SQLStore? { try? record.get() }

    private static func record(
        on disk: MemoryDisk,
        _ eventHistory: UInt64,
        acceptingLossAt now: Timestamp? = nil
    ) -> Result<SQLStore, StoreError> {
        do throws(StoreError) {
            return .success(try SQLStore(on: disk, eventHistory: eventHistory, acceptingLossAt: now))
        } catch {
            return .failure(error)
        }
    }

    // MARK: - Faults

    /// Whether the power has failed.
    var hasLostPower: Bool { disk.hasLostPower }

    /// Lets the power fail after some writes.
    func losePower(after writes: Int) {
        disk.losePower(after: writes)
        isLosingPower = true
    }

    /// Lets one write fail, after some more.
    func failWrite(after writes: Int) {
        if !isLosingPower { disk.failWrite(after: writes) }
    }

    /// Ends all faults that have not struck.
    func mend() {
        isFull = false
        disk.spare()
        isLosingPower = false
    }

    /// Ends the process, and lets the next one open the record.
    ///
    /// - Parameter seed: the choice among the writes that were not forced to the disk, where the power of the host has failed; nil
    ///   for the end of the process alone.
    func endProcess(losingUnsynced seed: UInt64?) {
        disk.restart(losingUnsynced: seed)
        isLosingPower = false
        record = Self.record(on: disk, eventHistory)
    }

    /// Damages the record's log between two processes.
    ///
    /// A record that lacks something is refused, and the administrator puts the log back.
    ///
    /// - Parameter acceptsLoss: whether the next process takes the record as it is.
    func damageLog(using random: inout SplitMix, acceptsLoss: Bool) {
        // The next process has opened the record, and has changed nothing yet.
        disk.restart()
        let whole = disk.copy()
        if let size = disk.size(of: Self.log), size > 0 {
            disk.damage(Self.log, by: .random(to: size, using: &random))
        }
        record = Self.record(on: disk, eventHistory, acceptingLossAt: acceptsLoss ? Timestamp(rawValue: 1) : nil)
        guard case .failure(let error) = record, error.code == .incomplete else { return }
        disk = whole
        disk.setFull(isFull)
        record = Self.record(on: disk, eventHistory)
    }

    private static let log = "/baton.db-wal"

    // MARK: - Questions of the checks

    /// All jobs with all their records, oldest first.
    var allJobs: [RestoredJob] {
        jobs.compactMap { (try? store?.restoredJob($0.number)) ?? nil }.reversed()
    }

    /// All jobs, newest first.
    var jobs: [JobSummary] { (try? store?.jobs(before: nil, limit: .max)) ?? [] }

    /// All operations of a job.
    func operations(of job: JobNumber) -> [StoredOperation] {
        (try? store?.operations(of: job, from: 0, limit: .max)) ?? []
    }

    /// An operation; nil if there is none.
    func operation(_ id: OperationID) -> StoredOperation? {
        (try? store?.operations(of: id.job, from: id.index, limit: 1))?.first { $0.record.id == id }
    }

    /// The files that an operation has left.
    func files(of operation: OperationID) -> [KeptFile] { (try? store?.files(of: operation)) ?? [] }

    /// The earlier attempts of an operation.
    func attempts(of operation: OperationID) -> [AttemptRecord] { (try? store?.attempts(of: operation)) ?? [] }

    /// The end of the hook of an operation; nil before, and without a hook.
    func hook(of operation: OperationID) -> HookRecord? {
        if case .ended(let record)? = try? store?.hook(of: operation) { record } else { nil }
    }

    /// Whether the given attempt is the last known attempt of an operation.
    func knows(_ token: AttemptToken, of operation: OperationID) -> Bool {
        let page = (try? store?.operations(of: operation.job, from: operation.index, limit: 1)) ?? []
        return page.contains { $0.record.token == token.inRecord }
    }

    /// Whether no job has an unfinished operation.
    var isEverythingFinished: Bool { jobs.allSatisfy { $0.finishedAt != nil } }
}
