@_spi(Baton) import BatonJSON
@_spi(Baton) public import BatonOperations

/// The jobs that have new spans according to a page of events.
@_spi(Baton) public struct ChangedJobs: Sendable {
    /// What is new in a job.
    public struct Change: Hashable, Sendable {
        /// The operations with an attempt that has ended, or that were finished.
        public var operations: [Range<UInt32>] = []
        /// Whether the job is finished.
        public var isFinished = false

        /// Describes that nothing is new.
        public init() {}
    }

    /// The changes, by job.
    public private(set) var changes: [JobNumber: Change] = [:]

    /// Reads the events of a page, one JSON document a line; other documents have no effect.
    ///
    /// - Complexity: O(bytes).
    public init(lines: [UInt8]) {
        for line in lines.split(separator: UInt8(ascii: "\n")) { note(line) }
    }

    private mutating func note(_ line: ArraySlice<UInt8>) {
        guard case .object(let event)? = JSONValue(String(decoding: line, as: UTF8.self)),
            case .string(let state)? = event["state"]
        else { return }
        if case .integer(let job)? = event["job"] {
            guard state == "finished", let number = UInt32(exactly: job) else { return }
            changes[JobNumber(number), default: Change()].isFinished = true
            return
        }
        guard case .string(let address)? = event["operation"],
            case .operation(let operation)? = Address(address), Self.mayHaveEnded(state, event["attempt"])
        else { return }
        var count: UInt32 = 1
        if case .integer(let several)? = event["count"] { count = UInt32(clamping: several) }
        let end = operation.index + min(count, .max - operation.index)
        changes[operation.job, default: Change()].operations.append(operation.index..<end)
    }

    /// Whether an operation has an attempt that has ended, by its state and its last attempt.
    private static func mayHaveEnded(_ state: String, _ attempt: JSONValue?) -> Bool {
        if state == "finished" { return true }
        guard case .integer(let number)? = attempt else { return false }
        // An operation that executes again has ended its earlier attempt before.
        return number > (state == "executing" ? 1 : 0)
    }
}
