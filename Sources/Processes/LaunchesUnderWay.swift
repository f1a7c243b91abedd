import Glibc

/// The launches of a thread whose processes may not have executed their programs yet.
///
/// A process that fails to ends, which wakes the thread, but nothing tells of one that does. So the thread looks for it whenever it is
/// awake anyway, and otherwise at intervals.
struct LaunchesUnderWay {
    /// A launch with a process.
    struct Element {
        let launch: LaunchQueue.Launch
        let begun: BegunLaunch
        /// The place of the process in the group file, if any.
        let placeInFile: Int?
        /// The time at which the timeout is over, if there is one.
        let timeoutAt: MonotonicTime?
    }

    private var elements: [Element] = []
    private var interval = Self.firstInterval
    /// The time of the next look; nil if no launch is under way.
    private(set) var lookAt: MonotonicTime?

    /// Most programs are executed, and many have ended, within a fraction of it.
    private static let firstInterval: Duration = .milliseconds(2)
    private static let longestInterval: Duration = .milliseconds(64)

    var isEmpty: Bool { elements.isEmpty }

    mutating func append(_ element: Element) {
        elements.append(element)
        interval = Self.firstInterval
        if lookAt == nil { lookAt = .now + interval }
    }

    /// Removes a launch whose process has executed its program or failed to.
    ///
    /// - Returns: the launch; nil if there is none, and then the next look is later than now.
    mutating func removeSettled() -> Element? {
        guard !elements.isEmpty else { return nil }
        if let place = elements.firstIndex(where: \.begun.hasSettled) { return remove(at: place) }
        let now = MonotonicTime.now
        if let due = lookAt, due <= now {
            lookAt = now + interval
            interval = min(interval * 2, Self.longestInterval)
        }
        return nil
    }

    /// Removes the launch with a process.
    mutating func remove(process: pid_t) -> Element? {
        elements.firstIndex { $0.begun.process == process }.map { remove(at: $0) }
    }

    /// Removes the launch with a token.
    mutating func remove(token: UInt64) -> Element? {
        elements.firstIndex { $0.launch.token == token }.map { remove(at: $0) }
    }

    /// Removes the launch that began first.
    mutating func removeFirst() -> Element? { elements.isEmpty ? nil : remove(at: 0) }

    private mutating func remove(at place: Int) -> Element {
        if elements.count == 1 { lookAt = nil }
        return elements.remove(at: place)
    }
}
