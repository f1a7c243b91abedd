extension Duration {
    /// Whole milliseconds, rounded up so that a wait never becomes a busy loop, within `0 ... Int32.max`.
    var milliseconds: Int32 {
        let (seconds, attoseconds) = components
        guard seconds >= 0, attoseconds >= 0 else { return 0 }
        guard seconds < Int64(Int32.max) / 1_000 else { return .max }
        let attosecondsInMillisecond: Int64 = 1_000_000_000_000_000
        let fraction = (attoseconds + attosecondsInMillisecond - 1) / attosecondsInMillisecond
        return Int32(seconds * 1_000 + fraction)
    }
}
