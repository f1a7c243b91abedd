@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonProcesses
import Synchronization
@_spi(Baton) import BatonWire

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Reading the output of attempts.
///
/// A read skips removed parts, and never returns them as zero bytes: the piece then begins after the removed part.
extension OutputArchive {
    /// The number of times to read a piece that a trim removes meanwhile.
    private static let readings = 8

    /// Keeps the files of a running attempt from another use, for a reader that comes later.
    ///
    /// Between a request and its ``read(_:isOver:)`` on another thread the attempt may end.
    func expectReader(of owner: OutputOwner) {
        state.withLock { state in
            guard let place = state.running.index(forKey: owner) else { return }
            state.running.values[place].wasRead = true
        }
    }

    /// Reads a piece of an attempt's output.
    ///
    /// - Parameters:
    ///   - request: the piece to read.
    ///   - isOver: whether the attempt had ended before the call, so that the present output is complete.
    /// - Returns: nil if no output of an ended attempt exists (any more).
    func read(_ request: OutputRequest, isOver: Bool) -> OutputChunk? {
        let owner = OutputOwner(request.token, of: request.operation)
        return readRunning(request, of: owner) ?? readKept(request, stem(of: owner), isOver: isOver)
    }

    private func readRunning(_ request: OutputRequest, of owner: OutputOwner) -> OutputChunk? {
        for reading in 1...Self.readings {
            guard let (descriptor, span) = openRunning(of: owner, request.stream) else { return nil }
            defer { closeDescriptor(descriptor) }
            var status = stat()
            guard fstat(descriptor, &status) == 0 else { return nil }
            let length = span.base + UInt64(status.st_size)
            let offset = max(request.offset, span.start)
            var bytes = readBytes(
                descriptor,
                from: offset - span.base,
                atMost: wanted(of: request, upTo: length, from: offset)
            )
            // A trim may have removed the oldest part during the read.
            let present = spans(of: owner)?[keyPath: request.stream.span] ?? span
            if present.base != span.base || present.start > offset {
                guard reading == Self.readings else { continue }
                bytes = []
            }
            return OutputChunk(offset: offset, bytes: bytes, totalLength: length, isComplete: false)
        }
        return nil
    }

    private func readKept(_ request: OutputRequest, _ stem: String, isOver: Bool) -> OutputChunk? {
        let (suffix, other) = request.stream == .standardOutput ? (".out", ".err") : (".err", ".out")
        let descriptor = OwnFile.open(stem + suffix, O_RDONLY)
        guard descriptor >= 0 else {
            // An empty stream left no file; its attempt may have a file for the other stream.
            guard !isOver || access(stem + other, F_OK) == 0 else { return nil }
            return OutputChunk(offset: request.offset, bytes: [], totalLength: 0, isComplete: isOver)
        }
        defer { closeDescriptor(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return nil }
        let base = CutMark.base(of: stem + suffix)
        let length = base + UInt64(status.st_size)
        let first = Hole.firstData(descriptor, from: max(request.offset, base) - base)
        let offset = max(min(base + first, length), request.offset)
        let limit = wanted(of: request, upTo: length, from: offset)
        let bytes = readBytes(descriptor, from: offset - base, atMost: limit)
        return OutputChunk(offset: offset, bytes: bytes, totalLength: length, isComplete: isOver)
    }

    private func wanted(of request: OutputRequest, upTo length: UInt64, from offset: UInt64) -> Int {
        Int(min(UInt64(request.limit), UInt64(OutputChunk.maximumLength), length - min(offset, length)))
    }

    /// Opens a descriptor that reads a running attempt's output, for the caller to close, and returns the span of the
    /// file.
    private func openRunning(
        of owner: OutputOwner,
        _ stream: BatonWire.OutputStream
    ) -> (descriptor: Int32, span: StreamSpan)? {
        state.withLock { state in
            guard let running = state.running[owner] else { return nil }
            state.running[owner]?.wasRead = true
            let descriptor = fcntl(running.output.file(of: stream.span).reader, F_DUPFD_CLOEXEC, 0)
            return descriptor >= 0 ? (descriptor, running.spans[keyPath: stream.span]) : nil
        }
    }

    private func spans(of owner: OutputOwner) -> RunningSpans? {
        state.withLock { $0.running[owner]?.spans }
    }
}

extension BatonWire.OutputStream {
    /// The key path of the stream's span.
    fileprivate var span: WritableKeyPath<RunningSpans, StreamSpan> {
        self == .standardOutput ? \.standardOutput : \.standardError
    }
}
