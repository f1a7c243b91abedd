@_spi(Baton) import BatonArguments
import Foundation

/// One line on the terminal that shows the progress; empty if standard error is no terminal.
struct ProgressLine {
    private let isShown = Terminal.isStandardError

    func show(done: Int, total: Int, kills: Int, of allKills: Int, elapsed: Duration) {
        guard isShown else { return }
        let bar = ProgressBar(
            done: done,
            total: total,
            counts: [ProgressBar.Count(kills, "of \(allKills) kills")],
            elapsed: elapsed
        )
        write("\r\u{1B}[K" + bar.line(width: Terminal.width - 1))
    }

    func clear() {
        if isShown { write("\r\u{1B}[K") }
    }

    private func write(_ text: String) { FileHandle.standardError.write(Data(text.utf8)) }
}
