@_spi(Baton) import BatonArguments
@_spi(Baton) import BatonClient
@_spi(Baton) import BatonOperations

/// The progress of sending files on a terminal: `[#####>   ] 1.2G of 4G read, 40 files`, then `[##>      ] 100M of 1G sent, 85M/s`.
struct SendDisplay: Sendable {
    private static let cells = 20
    private static let interval = Duration.milliseconds(100)

    private let run: SendRun
    private let files: Int

    /// - Parameter files: the number of all files.
    init(_ run: SendRun, files: Int) {
        self.run = run
        self.files = files
    }

    /// Draws the progress until the task is cancelled, and erases it; does nothing without a terminal.
    func show(isWanted: Bool) async {
        let display = ProgressDisplay(isWanted: isWanted)
        guard display.isShown else { return }
        var start = ContinuousClock.now
        var isSending = false
        while !Task.isCancelled {
            let progress = run.progress
            if progress.missingBytes != nil, !isSending { (start, isSending) = (ContinuousClock.now, true) }
            display.show(line(progress, after: ContinuousClock.now - start))
            try? await Task.sleep(for: Self.interval)
        }
        display.clear()
    }

    /// The line for a moment.
    ///
    /// - Parameter elapsed: the time since the files are read, or since they are sent.
    func line(_ progress: SendRun.Progress, after elapsed: Duration) -> String {
        let (done, total) =
            progress.missingBytes.map { (progress.sentBytes, $0) } ?? (progress.readBytes, run.totalBytes)
        let bar = ProgressBar(done: Int(done), total: Int(total), elapsed: elapsed).bar(cells: Self.cells)
        let amount = "[\(bar)] \(ByteSize.roughText(of: done)) of \(ByteSize.roughText(of: total))"
        guard progress.missingBytes != nil else { return "\(amount) read, \(files) file\(files == 1 ? "" : "s")" }
        let seconds = elapsed / .seconds(1)
        // The first moments say nothing about the rate.
        let rate = seconds >= 1 ? ", \(ByteSize.roughText(of: Int64(Double(done) / seconds)))/s" : ""
        return "\(amount) sent\(rate)"
    }
}
