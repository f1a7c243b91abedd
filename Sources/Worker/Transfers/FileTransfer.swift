@_spi(Baton) import BatonOperations

/// The transfer of one content, as far as it has come.
struct FileTransfer {
    let file: KeptFile
    /// The attempts that wait for the content, in order of arrival, and behind them its copy for no attempt.
    var waiting: [AttemptToken]
    /// Whether it stands behind what attempts wait for: it began as a copy, and no attempt has come to wait for it.
    var isBehind = false
    /// Whether room for the file is made, or about to be.
    var hasBegun = false
    /// Whether there is room for the file: its pieces may be asked for.
    var hasRoom = false
    /// The number of bytes that were written.
    var written: UInt64 = 0
    /// The first byte that was never asked for.
    var next: UInt64 = 0
    /// The parts to ask for once more, the first last.
    var again: [Range<UInt64>] = []
    /// The pieces that have come before their turn.
    var early: [UInt64: [UInt8]] = [:]
    /// How often the file was wrong.
    var wrongCopies = 0
    /// How often this host could not take the file.
    var failures = 0
    /// How often in sequence the file could not be had for the moment.
    var delays = 0
    /// The worker that gives the rest directly; nil as long as the coordinator is asked.
    var source: DirectSource?
    /// When to go on; nil for at once.
    var restsUntil: Duration?

    var size: UInt64 { UInt64(clamping: file.size) }

    /// Whether all bytes were written.
    var isComplete: Bool { written == size }

    /// The next part to ask for; nil if all were asked for.
    func nextRange(atMost limit: UInt64) -> Range<UInt64>? {
        if let range = again.last { return range.lowerBound..<min(range.upperBound, range.lowerBound + limit) }
        return next < size ? next..<min(size, next + limit) : nil
    }

    /// Notes that a part of ``nextRange(atMost:)`` is asked for.
    mutating func take(_ range: Range<UInt64>) {
        if let last = again.popLast() {
            if range.upperBound < last.upperBound { again.append(range.upperBound..<last.upperBound) }
        } else {
            next = range.upperBound
        }
    }
}
