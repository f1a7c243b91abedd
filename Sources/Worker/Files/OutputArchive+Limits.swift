import BatonProcesses
import Synchronization

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Keeping what running attempts print within its limit.
extension OutputArchive {
    /// How far a stream may be above its limit before it has been cut down: nobody prints faster than the system copies.
    static let overshoot: UInt64 = 64 << 20
    /// How far a stream may be above its limit before its writers are stopped until it has been cut down: many of them print
    /// faster than one thread takes that away.
    static let pausingExcess: UInt64 = 8 << 20
    /// More bytes than anybody prints in a second.
    private static let highestRate: UInt64 = 6 << 30
    /// How much more than has to go is taken away at once, at most.
    private static let slack: UInt64 = 32 << 20

    /// When a stream that has so much kept could come near the overshoot.
    func patience(withKept kept: UInt64) -> Duration {
        // Some of it is left for the time that the cutting takes.
        let latest = limits.streamBytes + Self.overshoot * 3 / 8
        let room = latest > kept ? latest - kept : 0
        return .microseconds(Int64(clamping: max(room / (Self.highestRate / 1_000_000), 2000)))
    }

    /// The most that is kept of any stream of an attempt that runs; two system calls.
    func largestKept(of output: AttemptOutput) -> UInt64 {
        let spans = state.withLock { $0.running[output.stem]?.spans }
        guard let spans else { return 0 }
        return max(
            spans.standardOutput.kept(ofFile: output.standardOutput.file.length),
            spans.standardError.kept(ofFile: output.standardError.file.length)
        )
    }

    /// Takes the oldest part away of what an attempt that runs has printed, as often as that is too much.
    ///
    /// From any thread but the one that reads: an attempt may print as fast as this cuts it down.
    func trim(_ output: AttemptOutput) {
        for stream in [\RunningSpans.standardOutput, \.standardError] {
            while trimOnce(output, stream) {}
        }
    }

    /// - Returns: whether there may be more to do.
    private func trimOnce(_ output: AttemptOutput, _ stream: WritableKeyPath<RunningSpans, StreamSpan>) -> Bool {
        // The attempt may end meanwhile: what it leaves is counted behind this.
        trimming.withLock { _ in trimAlone(output, stream) }
    }

    private func trimAlone(_ output: AttemptOutput, _ stream: WritableKeyPath<RunningSpans, StreamSpan>) -> Bool {
        let opened = state.withLock { state -> (reader: Int32, span: StreamSpan)? in
            guard let running = state.running[output.stem] else { return nil }
            let reader = fcntl(running.output.file(of: stream).reader, F_DUPFD_CLOEXEC, 0)
            return reader >= 0 ? (reader, running.spans[keyPath: stream]) : nil
        }
        guard let (reader, span) = opened else { return false }
        defer { closeDescriptor(reader) }
        var status = stat()
        guard fstat(reader, &status) == 0, span.kept(ofFile: UInt64(status.st_size)) > limits.streamBytes
        else { return false }
        // By its descriptor: its name may be gone.
        let writer = openDescriptor("/proc/self/fd/\(reader)", O_WRONLY)
        guard writer >= 0 else { return false }
        defer { closeDescriptor(writer) }
        let length = UInt64(status.st_size)
        let end = Hole.end(ofFile: length, keeping: limits.streamBytes - min(limits.streamBytes / 4, Self.slack))
        var next = span
        // Whoever reads is told first: it looks again once it has read.
        next.start = span.base + end
        note(next, of: output, stream)
        if Hole.punch(writer, upTo: end) { return true }
        // All goes that is there: the file cannot keep its length without it.
        next.base = span.base + length
        next.start = next.base
        note(next, of: output, stream)
        return ftruncate(writer, 0) == 0
    }

    private func note(_ span: StreamSpan, of output: AttemptOutput, _ stream: WritableKeyPath<RunningSpans, StreamSpan>)
    {
        state.withLock { state in
            state.running[output.stem]?.spans[keyPath: stream] = span
            if span.base > 0 { state.cut.insert(output.stem) }
        }
    }
}

/// What is kept of both streams of an attempt that runs.
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
    /// How many bytes a file of a length keeps.
    func kept(ofFile length: UInt64) -> UInt64 {
        let end = base + length
        return end > start ? end - start : 0
    }
}
