@_spi(Baton) import BatonThreads

/// The time between two looks at what live streams show.
struct LivePace: Sendable {
    /// Waits for the next tick; returns early in a cancelled task.
    let wait: @Sendable () async -> Void

    /// At most four ticks a second.
    static let usual = LivePace { try? await pause(for: .milliseconds(250)) }
}
