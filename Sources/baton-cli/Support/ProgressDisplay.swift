@_spi(Baton) import BatonArguments
@_spi(Baton) import BatonOperations

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// A line on a terminal's standard error with the progress of a wait; without a terminal, no output.
final class ProgressDisplay {
    private let isShown: Bool
    private let start = ContinuousClock.now
    private var isDrawn = false

    /// The interval between requests: 100 ms for a visible display, 10 s otherwise.
    ///
    /// Without a display, the answer still arrives at once after the end of all operations.
    var interval: Duration { isShown ? .milliseconds(100) : .seconds(10) }

    init(isWanted: Bool) {
        isShown = isWanted && Terminal.isStandardError
    }

    /// Draws the line over the previous line.
    func show(_ counts: JobCounts) {
        guard isShown else { return }
        let bar = ProgressBar(
            done: counts.finished,
            total: counts.total,
            counts: [
                .init(counts.executing, "executing"), .init(counts.failed, "failed"),
                .init(counts.cancelled, "cancelled"),
                .init(max(0, counts.skipped - counts.notNeeded), "skipped"),
            ],
            elapsed: .now - start
        )
        show(line: bar.line(width: Self.width))
    }

    /// Draws a text over the previous line; a text that is too long is cut.
    func show(_ text: String) {
        if isShown { show(line: String(text.prefix(Self.width))) }
    }

    /// One column stays free, because some terminals wrap a line that fills the last column.
    private static var width: Int { max(1, Terminal.width - 1) }

    private func show(line: String) {
        draw("\r\u{1B}[K" + line)
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
