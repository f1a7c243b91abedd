@_spi(Baton) import BatonProcesses
import Synchronization

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Eviction, which keeps the output of ended attempts within the limits.
extension OutputArchive {
    /// The next output to evict.
    private enum Victim {
        /// Shorten the output of an attempt that has more bytes than its share.
        case shortened(stem: String, from: UInt64, to: UInt64)
        /// Remove the output of an attempt.
        case removed(stem: String)
    }

    /// Shortens or removes outputs until the rest is within the limits.
    ///
    /// The largest output is shortened first; if no attempt has more than its share, the oldest outputs go.
    func evict() {
        while let victim = state.withLock({ Self.nextVictim(in: &$0, limits) }) {
            switch victim {
            case .removed(let stem):
                Self.remove(stem)
            case .shortened(let stem, let bytes, let target):
                let left = Self.shorten(stem, by: bytes - target).flatMap { $0 < bytes ? $0 : nil }
                // If the file system cannot release a part of a file, remove the whole output.
                if left == nil { Self.remove(stem) }
                state.withLock { state in
                    state.large[stem] = left ?? 0
                    state.bytes -= bytes - (left ?? 0)
                }
            }
        }
    }

    private static func nextVictim(in state: inout State, _ limits: Limits) -> Victim? {
        let count = state.kept.count - state.first
        let excess = state.bytes > limits.bytes ? state.bytes - limits.bytes : 0
        if excess > 0, let largest = state.large.max(by: { $0.value < $1.value }), largest.value > limits.share {
            // Release more than necessary, so that not every ending attempt causes an eviction.
            let wanted = min(max(excess + Hole.alignment, largest.value / 4), largest.value - limits.share)
            return .shortened(stem: largest.key, from: largest.value, to: largest.value - wanted)
        }
        guard state.first < state.kept.count, excess > 0 || count > limits.attempts else { return nil }
        let oldest = state.kept[state.first]
        state.bytes -= state.large.removeValue(forKey: oldest.stem) ?? oldest.bytes
        state.first += 1
        if state.first >= 1024, state.first * 2 >= state.kept.count {
            state.kept.removeFirst(state.first)
            state.first = 0
        }
        return .removed(stem: oldest.stem)
    }

    private static func remove(_ stem: String) {
        for path in [stem + ".out", stem + ".err"] {
            unlink(path)
            CutMark.remove(of: path)
        }
    }

    /// The bytes that both files of an ended attempt still have.
    static func keptBytes(of stem: String) -> UInt64 {
        var bytes: UInt64 = 0
        for path in [stem + ".out", stem + ".err"] {
            let descriptor = OwnFile.open(path, O_RDONLY)
            guard descriptor >= 0 else { continue }
            defer { closeDescriptor(descriptor) }
            var status = stat()
            let length = fstat(descriptor, &status) == 0 ? UInt64(status.st_size) : 0
            bytes += length - min(length, Hole.firstData(descriptor, from: 0))
        }
        return bytes
    }

    /// Releases the oldest part of an attempt's longer stream.
    ///
    /// - Returns: the remaining bytes of both streams; nil if no part could be released.
    private static func shorten(_ stem: String, by excess: UInt64) -> UInt64? {
        var streams: [(descriptor: Int32, length: UInt64, kept: UInt64)] = []
        defer { for stream in streams { closeDescriptor(stream.descriptor) } }
        for path in [stem + ".out", stem + ".err"] {
            let descriptor = OwnFile.open(path, O_RDWR)
            guard descriptor >= 0 else { continue }
            var status = stat()
            let length = fstat(descriptor, &status) == 0 ? UInt64(status.st_size) : 0
            streams.append((descriptor, length, length - min(length, Hole.firstData(descriptor, from: 0))))
        }
        guard let longest = streams.max(by: { $0.kept < $1.kept }) else { return nil }
        let keep = max(longest.kept - min(longest.kept, excess), Hole.alignment)
        let end = Hole.end(ofFile: longest.length, keeping: keep)
        guard end > longest.length - longest.kept, Hole.punch(longest.descriptor, upTo: end) else { return nil }
        return streams.reduce(0) { $0 + $1.kept } - longest.kept + (longest.length - end)
    }
}
