@_spi(Baton) public import BatonOperations

/// One earlier attempt of an operation, as `show` lists it.
@_spi(Baton) public struct AttemptDocument: Document {
    /// The number of the attempt.
    public var attempt: UInt32
    /// The worker of the attempt; nil for an unknown worker.
    public var worker: String?
    /// The reason for the unsuccessful end, as a word; `lost` for an attempt that was lost with its worker.
    public var reason: Reason.Code
    /// The exit status of the attempt, if the process exited.
    public var exitStatus: Int32?
    /// The signal that ended the attempt, if any.
    public var signal: Int32?
    /// Whether the attempt was ended because its worker was stopped; the reason is then `lost`.
    public var stopped: Bool
    /// The start of the attempt; nil for an attempt that was lost before its worker reported a start.
    public var startedAt: Timestamp?
    /// The end of the attempt, or the time at which the coordinator counted the attempt as lost.
    public var endedAt: Timestamp
    /// The reason as a sentence.
    public var message: String
    /// The processor time of the attempt's processes in seconds; nil if not known.
    public var cpuSeconds: Double?
    /// The most resident memory of a single process of the attempt in bytes, at least that of the worker, in whose memory
    /// processes begin; nil if not known.
    public var peakMemory: Int64?
    /// The memory in bytes that the attempt might use; absent unless the memory of the operation is a range.
    @IfPresent public var memory: Int64?
    /// The time limit of the attempt, such as 2h; absent unless the timeout of the operation is a range.
    @IfPresent public var timeout: String?

    /// Describes an attempt.
    ///
    /// - Parameters:
    ///   - usage: what the attempt used.
    ///   - template: the settings of the operation, which say what the attempt might use.
    public init(_ attempt: AttemptRecord, usage: AttemptUsage? = nil, template: Template? = nil) {
        self.attempt = attempt.attempt
        worker = attempt.worker
        reason = attempt.reason.code
        exitStatus = attempt.exitStatus
        signal = attempt.signal
        stopped = attempt.wasStopped
        startedAt = attempt.startedAt
        endedAt = attempt.endedAt
        message = attempt.reason.message
        cpuSeconds = usage?.cpuSeconds
        peakMemory = usage?.peakMemory
        if let memory = template?.memory(of: attempt.limits) { self.memory = memory }
        if let timeout = template?.timeout(of: attempt.limits) { self.timeout = timeout.text }
    }
}

extension AttemptUsage {
    /// The processor time in seconds.
    var cpuSeconds: Double { Double(processorMicroseconds) / 1e6 }
}
