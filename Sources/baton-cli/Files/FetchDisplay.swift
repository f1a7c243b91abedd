@_spi(Baton) import BatonArguments
@_spi(Baton) import BatonClient
@_spi(Baton) import BatonOperations

/// The progress of a fetch on a terminal: `[#####>   ] 1.2G of 4G, 12 of 40 files, 85M/s`.
struct FetchDisplay {
    private static let cells = 20
    private static let interval = Duration.milliseconds(100)

    /// The number of all bytes.
    let bytes: Int64
    /// The number of all files.
    let files: Int

    /// Draws the progress until the task is cancelled, and erases it; does nothing without a terminal.
    func show(_ run: FetchRun, isWanted: Bool) async {
        let display = ProgressDisplay(isWanted: isWanted)
        guard display.isShown else { return }
        let start = ContinuousClock.now
        while !Task.isCancelled {
            let progress = run.progress
            display.show(line(bytes: progress.bytes, files: progress.files, after: ContinuousClock.now - start))
            try? await Task.sleep(for: Self.interval)
        }
        display.clear()
    }

    /// The line for a moment.
    func line(bytes done: Int64, files finished: Int, after elapsed: Duration) -> String {
        let bar = ProgressBar(done: Int(done), total: Int(bytes), elapsed: elapsed).bar(cells: Self.cells)
        let seconds = elapsed / .seconds(1)
        // The first moments say nothing about the rate.
        let rate = seconds >= 1 ? ", \(ByteSize.roughText(of: Int64(Double(done) / seconds)))/s" : ""
        let amount = "\(ByteSize.roughText(of: done)) of \(ByteSize.roughText(of: bytes))"
        return "[\(bar)] \(amount), \(finished) of \(files) files\(rate)"
    }
}
