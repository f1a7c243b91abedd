import Glibc

/// A process that was started, with its process group, as the thread that started it keeps it.
struct SupervisedGroup {
    /// What has become of it.
    enum Phase {
        /// The leader runs. Its end comes through `pidfd`.
        case running(pidfd: Int32)

        /// The leader ended in the time it was given, and the rest of its group has what is left of that time.
        ///
        /// The leader is not reaped, so that its number stays that of this group.
        case windingDown

        /// Everything was killed and the leader reaped; members that are still on their way out are waited for.
        case draining(ProcessExit)
    }

    /// How far its termination has gone.
    enum Termination: Equatable {
        case none
        /// SIGTERM was sent; SIGKILL follows then, or never.
        case asked(killAt: MonotonicTime?)
        case killed
    }

    let process: pid_t
    let token: UInt64
    let timeoutGrace: Duration?
    /// Its place in the file of groups, if there is one.
    let placeInFile: Int?
    var phase: Phase
    var termination = Termination.none
    /// When its timeout is over.
    var timeoutAt: MonotonicTime?
    /// When to look again whether its members are gone.
    var lookAt: MonotonicTime?
    /// The time between two looks: it doubles from one to the next.
    var lookInterval = Self.firstLookInterval
    var timedOut = false
    var terminated = false

    /// A killed process is usually gone within a fraction of this.
    static let firstLookInterval: Duration = .milliseconds(1)
    static let longestLookInterval: Duration = .milliseconds(64)

    /// When something has to be done about it, should nothing else happen.
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

    /// Puts the next look off.
    mutating func lookLater(than now: MonotonicTime) {
        lookAt = now + lookInterval
        lookInterval = min(lookInterval * 2, Self.longestLookInterval)
    }
}
