import BatonMemoryDisk
import Foundation
@_spi(Baton) import BatonOperations
import BatonTestServers
import Testing

@_spi(Baton) @testable import BatonStore

/// Where a record is: on a disk, or on a server.
enum StoreKind: String, CaseIterable {
    case memory, file, server

    /// All that there are here: a server is not everywhere.
    static let allCases: [StoreKind] = PostgreSQLServer.isThere ? [.memory, .file, .server] : [.memory, .file]

    /// One for each kind of database.
    static let engines: [StoreKind] = allCases.filter { $0 != .file }
}

/// A record in a schema of the test server, which is removed with the test.
final class TemporarySchema {
    let server: RecordServer

    /// Names a schema that is not there yet.
    ///
    /// - Throws: an expectation that fails without a server.
    init() throws {
        server = try #require(PostgreSQLServer.record(), "\(PostgreSQLServer.variable) names no server")
    }

    deinit {
        let connection = try? ServerConnection(server, for: .reading)
        try? connection?.execute("DROP SCHEMA IF EXISTS \(server.schema) CASCADE")
        connection?.close()
    }

    /// Opens the record as a coordinator.
    func open(eventHistory: UInt64 = 1_000_000) throws(StoreError) -> SQLStore {
        try SQLStore(
            server: server,
            lease: .seconds(10),
            address: "tcp://127.0.0.1:7461",
            host: "test",
            eventHistory: eventHistory
        )
    }
}

/// A directory that is removed with the test.
final class TemporaryDirectory {
    let path: String

    init() throws {
        path = FileManager.default.temporaryDirectory.appendingPathComponent("baton-store-\(UUID())").path
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }

    /// A path inside.
    func file(_ name: String) -> String { "\(path)/\(name)" }
}

/// A store that can be closed and opened again, as by a restarted coordinator.
final class TestStore {
    private(set) var store: SQLStore
    /// The state at the last opening.
    private(set) var state: StoredState
    private let open: () throws(StoreError) -> SQLStore
    /// The path of a record in a file, or the address of one on a server.
    let path: String

    /// Opens an empty record.
    ///
    /// - Parameter kind: the disk or server; files are for tests that look at them by other means, and for the list of all stores.
    init(_ kind: StoreKind = .memory, eventHistory: UInt64 = 1_000_000) throws {
        switch kind {
        case .memory:
            let disk = MemoryDisk()
            path = "/baton.db"
            open = { () throws(StoreError) in try SQLStore(on: disk, eventHistory: eventHistory) }
        case .file:
            let directory = try TemporaryDirectory()
            path = directory.file("baton.db")
            open = { () throws(StoreError) in
                try SQLStore(path: directory.file("baton.db"), eventHistory: eventHistory)
            }
        case .server:
            let schema = try TemporarySchema()
            path = schema.server.description
            open = { () throws(StoreError) in try schema.open(eventHistory: eventHistory) }
        }
        store = try open()
        state = try store.open()
    }

    /// Closes the store and opens it again.
    func restart() throws {
        store.close()
        store = try open()
        state = try store.open()
    }
}

extension Timestamp {
    /// A moment of some seconds.
    static func at(_ seconds: Int64) -> Timestamp { Timestamp(rawValue: seconds * 1_000_000) }
}

extension RecordMoment {
    /// A moment of some seconds, by a clock that never stood still.
    static func at(_ seconds: Int64) -> RecordMoment { RecordMoment(clock: .at(seconds), time: .at(seconds)) }
}

extension OperationID {
    init(_ job: UInt32, _ index: UInt32) {
        self.init(job: JobNumber(job), index: index)
    }
}

extension JobRecord {
    /// A job of entries with the same command; each job's operations follow long after the previous job's.
    init(_ number: UInt32, name: String? = nil, key: String? = nil, onFinish: [String]? = nil, _ entries: [Entry]) {
        var work = Work(.commands([["true"]]), environment: ["COLOUR": "blue"], directory: "/tmp", timeout: .seconds(9))
        work.standardInput = "/dev/null"
        self.init(
            number: JobNumber(number),
            submittedAt: .at(Int64(number)),
            order: UInt64(number) << 32,
            submission: Submission(
                name: name,
                key: key,
                templates: [Template(work: work, onFinish: onFinish)],
                entries: entries
            )
        )
    }
}

extension HookRecord {
    /// The end of a hook that succeeded.
    static let succeeded = HookRecord(worker: "w1", startedAt: .at(1), endedAt: .at(2), reason: nil)
}

extension JobRecord {
    /// The hook of an entry's element, as a scheduler makes it; nil without a hook.
    func hook(
        of entry: Entry,
        at position: Int = 0,
        _ index: UInt32,
        outcome: Outcome = .succeeded,
        attempt: UInt32 = 1,
        worker: String? = "w1"
    ) -> CompletionHook? {
        let template = submission.templates[entry.template]
        guard let command = template.onFinish else { return nil }
        return CompletionHook(
            operation: OperationID(job: number, index: index),
            attempt: attempt,
            outcome: outcome,
            worker: worker,
            name: entry.name,
            queue: submission.queueNames[entry.queue],
            work: template.work.completionHook(command),
            arrayNumber: entry.array?.number(at: position),
            arrayItem: entry.array?.item(at: position)
        )
    }
}

extension OperationRecord {
    /// A finished operation or block.
    static func finished(
        _ job: UInt32,
        _ index: UInt32,
        count: UInt32 = 1,
        _ outcome: Outcome = .succeeded,
        hasResult: Bool = false
    ) -> OperationRecord {
        var record = OperationRecord(id: OperationID(job, index), count: count, state: .finished)
        record.outcome = outcome
        record.hasResult = hasResult
        record.attempt = count == 1 ? 1 : 0
        record.finishedAt = .at(100)
        return record
    }
}

extension KeptFile {
    /// A file whose digest has the same byte throughout.
    static func sample(_ path: String, size: Int64 = 3, mode: UInt16 = 0o644, seed: UInt8 = 7) -> KeptFile {
        guard let digest = ContentDigest(bytes: [UInt8](repeating: seed, count: ContentDigest.length)) else {
            preconditionFailure("A digest has another length.")
        }
        return KeptFile(path: path, size: size, mode: mode, digest: digest)
    }
}

extension AttemptRecord {
    /// An attempt that exited with status 3.
    static func failed(_ number: UInt32) -> AttemptRecord {
        var attempt = AttemptRecord(
            attempt: number,
            worker: "w1",
            startedAt: .at(Int64(number)),
            endedAt: .at(Int64(number) + 1),
            reason: Reason(.exit, "It exited with status 3.")
        )
        attempt.exitStatus = 3
        return attempt
    }
}

extension AttemptOutput {
    /// The data of an attempt, as texts.
    init(attempt: UInt32, _ output: String, error: String = "", result: String? = nil) {
        self.init(
            attempt: attempt,
            standardOutput: OutputTail(totalLength: UInt64(output.utf8.count), bytes: Array(output.utf8)),
            standardError: OutputTail(totalLength: UInt64(error.utf8.count), bytes: Array(error.utf8)),
            result: result.map { Array($0.utf8) }
        )
    }
}

extension JobCounts {
    init(succeeded: Int = 0, failed: Int = 0, cancelled: Int = 0, skipped: Int = 0) {
        self.init()
        self.succeeded = succeeded
        self.failed = failed
        self.cancelled = cancelled
        self.skipped = skipped
    }
}

extension StoredOperation {
    /// The present priority.
    var priority: Priority { record.priorityChange?.priority ?? entry.priority }
}
