@_spi(Baton) import BatonProcesses
import Synchronization

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Trimming, which keeps the output of running attempts within the limit.
extension OutputArchive {
    /// How far a stream may exceed its limit before a trim takes effect: no process prints faster than the system
    /// copies.
    static let overshoot: UInt64 = 64 << 20
    /// How far a stream may exceed its limit before its writers are stopped for a trim: many writers print faster than
    /// a single thread trims.
    static let pausingExcess: UInt64 = 8 << 20
    /// More bytes than any process prints in a second.
    private static let highestRate: UInt64 = 6 << 30

    /// The bytes of a running attempt's stream above which the oldest are removed, down to the limit.
    ///
    /// The excess lets one trim remove many pages. It is at least what the alignment of holes may leave, so that each trim removes
    /// something.
    var bytesBeforeTrim: UInt64 {
        limits.streamBytes + max(Hole.alignment, min(limits.streamBytes / 4, Self.pausingExcess / 2))
    }

    /// The time after which a stream with so many kept bytes could come near the overshoot.
    func patience(withKept kept: UInt64) -> Duration {
        // Leave some of the room for the duration of the trim.
        let latest = limits.streamBytes + Self.overshoot * 3 / 8
        let room = latest > kept ? latest - kept : 0
        return .microseconds(Int64(clamping: max(room / (Self.highestRate / 1_000_000), 2000)))
    }

    /// The larger number of kept bytes of a running attempt's two streams; two system calls.
    func largestKept(of output: AttemptOutput) -> UInt64 {
        let spans = state.withLock { $0.running[output.owner]?.spans }
        guard let spans else { return 0 }
        return max(
            spans.standardOutput.kept(ofFile: output.standardOutput.file.length),
            spans.standardError.kept(ofFile: output.standardError.file.length)
        )
    }

    /// Removes the oldest part of a running attempt's output, down to the limit, as often as the output exceeds it by too much.
    ///
    /// Call it from any thread but the reading thread: an attempt may print as fast as the trim proceeds.
    func trim(_ output: AttemptOutput) {
        for stream in [\RunningSpans.standardOutput, \.standardError] {
            while trimOnce(output, stream) {}
        }
    }

    /// Removes the oldest part of an output at its end, down to the limit: until then it may exceed the limit by the overshoot.
    ///
    /// The limit is kept whole: what remains is at most a hole's alignment longer.
    ///
    /// The caller holds ``trimming``. A file system that cannot free a part of a file keeps the whole.
    func trimEnded(_ output: AttemptOutput) {
        guard largestKept(of: output) > limits.streamBytes else { return }
        for stream in [\RunningSpans.standardOutput, \.standardError] {
            let known = state.withLock { $0.running[output.owner]?.spans[keyPath: stream] }
            guard let span = known else { continue }
            let file = output.file(of: stream)
            let length = file.length
            guard span.kept(ofFile: length) > limits.streamBytes else { continue }
            let writer = openDescriptor("/proc/self/fd/\(file.reader)", O_WRONLY)
            guard writer >= 0 else { continue }
            defer { closeDescriptor(writer) }
            let end = Hole.end(ofFile: length, keeping: limits.streamBytes)
            guard end > 0 else { continue }
            var next = span
            next.start = max(span.start, span.base + end)
            note(next, of: output, stream)
            if !Hole.punch(writer, upTo: end) { note(span, of: output, stream) }
        }
    }

    /// - Returns: whether another trim may be necessary.
    private func trimOnce(_ output: AttemptOutput, _ stream: WritableKeyPath<RunningSpans, StreamSpan>) -> Bool {
        // The attempt may end meanwhile: the lock delays the count of its output until after the trim.
        trimming.withLock { _ in trimAlone(output, stream) }
    }

    private func trimAlone(_ output: AttemptOutput, _ stream: WritableKeyPath<RunningSpans, StreamSpan>) -> Bool {
        let opened = state.withLock { state -> (reader: Int32, span: StreamSpan)? in
            guard let running = state.running[output.owner] else { return nil }
            let reader = fcntl(running.output.file(of: stream).reader, F_DUPFD_CLOEXEC, 0)
            return reader >= 0 ? (reader, running.spans[keyPath: stream]) : nil
        }
        guard let (reader, span) = opened else { return false }
        defer { closeDescriptor(reader) }
        var status = stat()
        guard fstat(reader, &status) == 0, span.kept(ofFile: UInt64(status.st_size)) > bytesBeforeTrim
        else { return false }
        // Open the file by its descriptor: the name may be gone.
        let writer = openDescriptor("/proc/self/fd/\(reader)", O_WRONLY)
        guard writer >= 0 else { return false }
        defer { closeDescriptor(writer) }
        let length = UInt64(status.st_size)
        let end = Hole.end(ofFile: length, keeping: limits.streamBytes)
        var next = span
        // Announce the new start before the release: readers check the start again after reading.
        next.start = span.base + end
        note(next, of: output, stream)
        if Hole.punch(writer, upTo: end) { return true }
        // Remove all content: without it, the file cannot keep its length.
        next.base = span.base + length
        next.start = next.base
        note(next, of: output, stream)
        return ftruncate(writer, 0) == 0
    }

    private func note(_ span: StreamSpan, of output: AttemptOutput, _ stream: WritableKeyPath<RunningSpans, StreamSpan>)
    {
        state.withLock { state in
            state.running[output.owner]?.spans[keyPath: stream] = span
            if span.base > 0 { state.cut.insert(output.owner) }
        }
    }
}

/// The kept parts of both streams of a running attempt.
struct RunningSpans: Sendable {
    var standardOutput = StreamSpan()
    var standardError = StreamSpan()
}

extension AttemptOutput {
    /// The file of a stream.
    func file(of stream: WritableKeyPath<RunningSpans, StreamSpan>) -> PooledOutputFile {
        stream == \.standardOutput ? standardOutput.file : standardError.file
    }
}

extension StreamSpan {
    /// The number of kept bytes in a file of this length.
    func kept(ofFile length: UInt64) -> UInt64 {
        let end = base + length
        return end > start ? end - start : 0
    }
}
