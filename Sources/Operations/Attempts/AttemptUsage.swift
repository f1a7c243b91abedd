/// The resources that the processes of an attempt used, as the kernel reports them at their ends (`wait4(2)`).
///
/// The figures cover each command of the attempt and the descendants for which it waited.
@_spi(Baton) public struct AttemptUsage: Hashable, Sendable {
    /// Processor time in the programs and in the kernel on their behalf, in microseconds.
    public var processorMicroseconds: Int64
    /// The most resident memory of a single process, in bytes.
    ///
    /// Linux counts what the worker itself has at the start of the process, because the process shares the worker's memory until it runs
    /// its program: no figure is below that, some 30 MiB.
    public var peakMemory: Int64

    /// Describes what an attempt used.
    public init(processorMicroseconds: Int64, peakMemory: Int64) {
        self.processorMicroseconds = processorMicroseconds
        self.peakMemory = peakMemory
    }
}
