import BatonArguments
import BatonOperations

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// The line on a terminal's standard error that shows how far a wait has come; nothing where there is no terminal.
final class ProgressDisplay {
    private let isShown: Bool
    private let start = ContinuousClock.now
    private var isDrawn = false

    /// How often to ask: ten times a second for somebody who watches, rarely for nobody.
    ///
    /// Where nobody watches, the answer still comes at once when all is finished.
    var interval: Duration { isShown ? .milliseconds(100) : .seconds(10) }

    init(isWanted: Bool) {
        isShown = isWanted && Terminal.isStandardError
    }

    /// Draws over what was drawn before.
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
        // One column stays free: some terminals wrap a line that fills the last one.
        draw("\r\u{1B}[K" + bar.line(width: Terminal.width - 1))
        isDrawn = true
    }

    /// Leaves the line as it is, and goes on below it.
    func finish() {
        if isDrawn { draw("\n") }
        isDrawn = false
    }

    /// Takes the line away.
    func clear() {
        if isDrawn { draw("\r\u{1B}[K") }
        isDrawn = false
    }

    private func draw(_ text: String) {
        _ = try? Output.write(Array(text.utf8), to: STDERR_FILENO)
    }
}
