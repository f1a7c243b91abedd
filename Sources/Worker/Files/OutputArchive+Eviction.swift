import BatonProcesses
import Synchronization

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Keeping what attempts that are over have printed within the limits.
extension OutputArchive {
    /// What gives way next.
    private enum Victim {
        /// An attempt that has more than its share keeps so many bytes.
        case shortened(stem: String, from: UInt64, to: UInt64)
        /// An attempt goes.
        case removed(stem: String)
    }

    /// Makes room until the rest is within the limits: what has most is shortened, and where nobody has more than the share, the
    /// oldest go.
    func evict() {
        while let victim = state.withLock({ Self.nextVictim(in: &$0, limits) }) {
            switch victim {
            case .removed(let stem):
                Self.remove(stem)
            case .shortened(let stem, let bytes, let target):
                let left = Self.shorten(stem, by: bytes - target).flatMap { $0 < bytes ? $0 : nil }
                // A file system that cannot take a part back takes the whole.
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
            // Somewhat more than has to go, so that this need not be done for each that ends.
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

    /// Takes the oldest part of an attempt's longer stream away.
    ///
    /// - Returns: how many bytes both have then; nil where nothing could be taken away.
    private static func shorten(_ stem: String, by excess: UInt64) -> UInt64? {
        var streams: [(descriptor: Int32, length: UInt64, kept: UInt64)] = []
        defer { for stream in streams { closeDescriptor(stream.descriptor) } }
        for path in [stem + ".out", stem + ".err"] {
            let descriptor = openDescriptor(path, O_RDWR)
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
