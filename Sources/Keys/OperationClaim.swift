/// The identity that a running operation claims: attempt, operation, record and worker.
///
/// The attempt may also be the run of the operation's completion hook.
@_spi(Baton) public struct OperationClaim: Hashable, Sendable, CustomStringConvertible {
    /// The start of a coordinator that made the attempt.
    public let incarnation: UInt64
    /// The number of the attempt's token in the record.
    public let recordToken: UInt64
    /// The number of the job.
    public let job: UInt32
    /// The index of the operation in its job, from 0.
    public let operation: UInt32
    /// The number of the attempt, from 1.
    public let attempt: UInt32
    /// The identity of the worker that has the attempt.
    public let worker: UInt64

    /// The number of bytes of ``bytes``.
    static let length = 36

    /// Names an attempt.
    public init(
        incarnation: UInt64,
        recordToken: UInt64,
        job: UInt32,
        operation: UInt32,
        attempt: UInt32,
        worker: UInt64
    ) {
        self.incarnation = incarnation
        self.recordToken = recordToken
        self.job = job
        self.operation = operation
        self.attempt = attempt
        self.worker = worker
    }

    /// Reads what ``bytes`` has written; nil for any other number of bytes.
    init?(bytes: some Collection<UInt8>) {
        var cursor = ByteCursor(bytes)
        guard let incarnation = cursor.number(UInt64.self), let recordToken = cursor.number(UInt64.self),
            let job = cursor.number(UInt32.self), let operation = cursor.number(UInt32.self),
            let attempt = cursor.number(UInt32.self), let worker = cursor.number(UInt64.self), cursor.isAtEnd
        else { return nil }
        self.init(
            incarnation: incarnation,
            recordToken: recordToken,
            job: job,
            operation: operation,
            attempt: attempt,
            worker: worker
        )
    }

    /// All numbers in order, the highest byte of each first.
    var bytes: [UInt8] { [UInt8](count: Self.length) { write(to: $0, at: 0) } }

    /// Writes ``bytes`` at a place.
    func write(to memory: UnsafeMutableRawBufferPointer, at start: Int) {
        memory.storeBytes(of: incarnation.bigEndian, toByteOffset: start, as: UInt64.self)
        memory.storeBytes(of: recordToken.bigEndian, toByteOffset: start + 8, as: UInt64.self)
        memory.storeBytes(of: job.bigEndian, toByteOffset: start + 16, as: UInt32.self)
        memory.storeBytes(of: operation.bigEndian, toByteOffset: start + 20, as: UInt32.self)
        memory.storeBytes(of: attempt.bigEndian, toByteOffset: start + 24, as: UInt32.self)
        memory.storeBytes(of: worker.bigEndian, toByteOffset: start + 28, as: UInt64.self)
    }

    /// The operation and the attempt, for logs: `12/3 attempt 1`.
    public var description: String { "\(job)/\(operation) attempt \(attempt)" }
}
