/// The resources that the processes of an attempt used, as the kernel reports them at their ends (`wait4(2)`).
///
/// The figures cover each command of the attempt and the descendants for which it waited.
@_spi(Baton) public struct AttemptUsage: Hashable, Sendable {
    /// Processor time in the programs and in the kernel on their behalf, in microseconds.
    public var processorMicroseconds: Int64
    /// The most resident memory of a single process, in bytes.
    public var peakMemory: Int64

    /// Describes what an attempt used.
    public init(processorMicroseconds: Int64, peakMemory: Int64) {
        self.processorMicroseconds = processorMicroseconds
        self.peakMemory = peakMemory
    }
}
