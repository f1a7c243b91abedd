import Glibc

/// A started process, with its process group, as kept by the thread that started it.
struct SupervisedGroup {
    /// The phase of the group.
    enum Phase {
        /// The leader runs; `pidfd` reports the end.
        case running(pidfd: Int32)

        /// The leader ended within the grace, and the rest of its group has the remaining time.
        ///
        /// The leader is not reaped, so its number remains the number of this group.
        case windingDown

        /// All members were killed and the leader reaped; members that are still exiting are awaited.
        case draining(ProcessExit)
    }

    /// The progress of the group's termination.
    enum Termination: Equatable {
        case none
        /// The stop signal was sent; SIGKILL follows at this time, or never.
        case asked(killAt: MonotonicTime?)
        case killed
    }

    let process: pid_t
    let token: UInt64
    let timeoutGrace: Duration?
    /// The signal that asks the group to end.
    let stopSignal: Int32
    /// The group's place in the group file, if any.
    let placeInFile: Int?
    /// The limit of the group's memory, if any.
    let memoryLimit: MemoryLimit?
    /// What is told of a process that waits for a writer of its standard input; nil for any other process.
    let waiting: WaitingLaunch?
    var phase: Phase
    var termination = Termination.none
    /// The time at which the timeout is over; nil while it stands still.
    var timeoutAt: MonotonicTime?
    /// The rest of a timeout that stands still; nil for one that does not.
    var timeoutLeft: Duration?
    /// The time of the next look for remaining members.
    var lookAt: MonotonicTime?
    /// The time between two looks, doubled after each look.
    var lookInterval = Self.firstLookInterval
    var timedOut = false
    var terminated = false
    var exceededMemory = false

    /// The first interval between looks; a killed process is usually gone within a fraction of the interval.
    static let firstLookInterval: Duration = .milliseconds(1)
    static let longestLookInterval: Duration = .milliseconds(64)

    /// The time of the next action if no event comes before.
    var dueAt: MonotonicTime? {
        var earliest = lookAt
        func consider(_ time: MonotonicTime?) {
            guard let time else { return }
            earliest = min(earliest ?? time, time)
        }
        consider(timeoutAt)
        if case .asked(let killAt) = termination { consider(killAt) }
        return earliest
    }

    /// Postpones the next look.
    mutating func lookLater(than now: MonotonicTime) {
        lookAt = now + lookInterval
        lookInterval = min(lookInterval * 2, Self.longestLookInterval)
    }
}
