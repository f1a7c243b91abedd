@_spi(Baton) import BatonArguments
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWire

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// A line on a terminal's standard error with the progress of a wait; without a terminal, no output.
final class ProgressDisplay {
    /// Whether there is a terminal to draw on, and somebody wants to see the progress.
    let isShown: Bool
    private let start = ContinuousClock.now
    private var isDrawn = false
    /// The estimates of the rate, by finished operations, and of the rest, also by what executing operations report; nil before
    /// the first progress.
    private var estimates: (rate: ProgressEstimate, rest: ProgressEstimate)?

    /// The interval between requests: 100 ms for a visible display, 10 s otherwise.
    ///
    /// Without a display, the answer still arrives at once after the end of all operations.
    var interval: Duration { isShown ? .milliseconds(100) : .seconds(10) }

    init(isWanted: Bool) {
        isShown = isWanted && Terminal.isStandardError
    }

    /// Draws the line over the previous line.
    func show(_ progress: WaitProgress) {
        guard isShown else { return }
        let counts = progress.counts
        let elapsed = ContinuousClock.now - start
        let partial = Double(progress.partial ?? 0) / Double(OperationProgress.whole)
        note(counts, partial, at: elapsed)
        var bar = ProgressBar(
            done: counts.finished,
            total: counts.total,
            counts: [
                .init(counts.executing, "executing"), .init(counts.failed, "failed"),
                .init(counts.cancelled, "cancelled"),
                .init(max(0, counts.skipped - counts.notNeeded), "skipped"),
            ],
            elapsed: elapsed
        )
        bar.partial = partial
        // An open job goes on without an unfinished operation.
        bar.isOpen = !progress.isFinished && counts.unfinished == 0
        // The rate of a single operation says nothing.
        if counts.total > 1 { bar.rate = estimates?.rate.rate(at: elapsed) }
        bar.remaining = estimates?.rest.remaining
        show(line: bar.line(width: Self.width))
    }

    private func note(_ counts: JobCounts, _ partial: Double, at elapsed: Duration) {
        let finished = Double(counts.finished)
        guard var (rate, rest) = estimates else {
            estimates = (
                ProgressEstimate(parts: finished, at: elapsed), ProgressEstimate(parts: finished + partial, at: elapsed)
            )
            return
        }
        let left = Double(counts.unfinished)
        rate.note(parts: finished, rest: left, running: counts.executing, isReported: false, at: elapsed)
        rest.note(
            parts: finished + partial,
            rest: max(0, left - partial),
            running: counts.executing,
            isReported: partial > 0,
            at: elapsed
        )
        estimates = (rate, rest)
    }

    /// Draws a text over the previous line; a text that is too long is cut.
    func show(_ text: String) {
        if isShown { show(line: String(text.prefix(Self.width))) }
    }

    /// One column stays free, because some terminals wrap a line that fills the last column.
    private static var width: Int { max(1, Terminal.width - 1) }

    private func show(line: String) {
        draw("\r\u{1B}[K" + line.printable)
        isDrawn = true
    }

    /// Leaves the line in place, and continues below.
    func finish() {
        if isDrawn { draw("\n") }
        isDrawn = false
    }

    /// Erases the line.
    func clear() {
        if isDrawn { draw("\r\u{1B}[K") }
        isDrawn = false
    }

    private func draw(_ text: String) {
        _ = try? Output.write(Array(text.utf8), to: STDERR_FILENO)
    }
}
