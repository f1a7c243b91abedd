@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonProcesses

extension AttemptUsage {
    /// Adds up what the commands of an attempt used; nil if none of them ran.
    init?(of commands: [Result<ProcessExit, LaunchFailure>?]) {
        var processorTime = Duration.zero
        var peakMemory: Int64 = 0
        var hasRun = false
        for case .success(let exit)? in commands {
            hasRun = true
            processorTime += exit.usage.userTime + exit.usage.systemTime
            peakMemory = max(peakMemory, exit.usage.maximumResidentBytes)
        }
        guard hasRun else { return nil }
        self.init(processorMicroseconds: processorTime.microseconds, peakMemory: peakMemory)
    }
}
