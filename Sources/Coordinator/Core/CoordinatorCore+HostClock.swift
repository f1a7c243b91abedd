@_spi(Baton) import BatonLogging
@_spi(Baton) package import BatonOperations
@_spi(Baton) import BatonScheduler
@_spi(Baton) import BatonStore

/// The host's clock, which users may set.
extension CoordinatorCore {
    /// The relation of the present moment to the host's clock.
    var shownTime: ShownTime {
        ShownTime(start: startedAt, now: now, ahead: aheadOfOwnTime, outrun: outrunLead)
    }

    /// How far the host's clock is ahead of the record's own clock.
    var clockOffset: Duration { shownTime.present - recordTime }

    /// Takes in that the host's clock was set, or that the host was suspended: shown times follow, and no wait changes.
    ///
    /// - Parameters:
    ///   - ahead: how far the host's clock is ahead of the coordinator's own time now.
    ///   - suspended: how long the host was suspended.
    ///   - now: the present moment, by the coordinator's own time.
    package func hostClockStepped(to ahead: Duration, suspended: Duration = .zero, at now: Timestamp) {
        note(now)
        let step = ahead - aheadOfOwnTime
        guard step != .zero else { return }
        let time = now + ahead
        guard Timestamp.ofHostClocks.contains(time) else {
            // The record and documents could not hold later times. The next step is one from where the clock was.
            logger.error(
                "the host's clock was set to a time that cannot be kept; times go on as before until it is set again",
                metadata: ["now": "\(time)"]
            )
            return
        }
        // What happened before goes to the record with the times that were shown.
        flush()
        noteHostClock(ahead)
        queueEnds.noteClock(ahead: clockOffset)
        var metadata: Logger.Metadata = ["by": "\(step.signedText)", "now": "\(shownTime.present)"]
        if suspended > .zero { metadata["suspended"] = "\(suspended.signedText)" }
        let cause = suspended > .zero ? "the host was suspended" : "the host's clock was set"
        logger.warning("\(cause); times follow its clock, and nothing that waits changes", metadata: metadata)
        apply(.clockStepped(step))
        schedules.noteClock(at: time)
    }

    /// Tells that the record was ahead of the host's clock at the start.
    func tell(of lead: RecordLead) {
        let step = Duration.zero - lead.length
        logger.warning(
            """
            the host's clock is behind the times in the record, and was set while no coordinator ran, or is wrong; what has not \
            ended moves back, and nothing that waits changes
            """,
            metadata: ["by": "\(step.signedText)", "now": "\(shownTime.present)"]
        )
        apply(.clockStepped(step))
    }
}

extension Duration {
    /// The duration in seconds, with a sign and to the millisecond.
    fileprivate var signedText: String {
        let milliseconds = (microseconds / 1000).magnitude
        let fraction = String(milliseconds % 1000)
        let zeros = String(repeating: "0", count: 3 - fraction.count)
        return "\(microseconds < 0 ? "-" : "+")\(milliseconds / 1000).\(zeros)\(fraction)s"
    }
}
