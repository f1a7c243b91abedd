extension Duration {
    /// The milliseconds for calls of the system, rounded up, so that no wait ends before its time; at most some days.
    var wholeMilliseconds: Int32 {
        let (seconds, attoseconds) = components
        guard seconds >= 0, attoseconds >= 0 else { return 0 }
        return Int32(min(seconds, 1_000_000) * 1_000 + attoseconds / 1_000_000_000_000_000) + 1
    }
}
