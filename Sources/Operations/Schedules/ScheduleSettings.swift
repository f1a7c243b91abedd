/// When a schedule starts its jobs, as its user has set it.
@_spi(Baton) public struct ScheduleSettings: Hashable, Sendable {
    /// The time zone of a schedule that has no other.
    public static let defaultTimeZone = "UTC"
    /// The most bytes of a schedule's name: the key of a start has the name, a sign and a time.
    public static let maximumNameLength = 100
    /// The most bytes of a time zone's name.
    public static let maximumTimeZoneLength = 100
    /// The tag that the jobs of a schedule have, with its name.
    public static let tag = "schedule"

    /// The name of the schedule.
    public var name: String
    /// The times.
    public var cron: CronExpression
    /// The name of the time zone by whose clocks the times are, such as `Europe/Berlin`.
    public var timeZone: String
    /// What happens while the last job goes on.
    public var overlap: ScheduleOverlap
    /// What happens with missed times.
    public var catchUp: ScheduleCatchUp

    /// Sets a schedule.
    public init(
        name: String,
        cron: CronExpression,
        timeZone: String = defaultTimeZone,
        overlap: ScheduleOverlap = .skip,
        catchUp: ScheduleCatchUp = .last
    ) {
        self.name = name
        self.cron = cron
        self.timeZone = timeZone
        self.overlap = overlap
        self.catchUp = catchUp
    }

    /// Checks the names; whether the time zone exists is for the coordinator to say.
    ///
    /// - Throws: ``Refusal`` `invalid`, with the broken rule.
    public func validated() throws(Refusal) {
        if let objection = Name.objection(to: name) {
            throw Refusal(.invalid, "The schedule's name \"\(name.asShown)\" is not allowed: \(objection).")
        }
        guard name.utf8.count <= Self.maximumNameLength, !name.contains("@") else {
            throw Refusal(
                .invalid,
                "The schedule's name \"\(name.asShown)\" is not allowed: it has no @, and at most \(Self.maximumNameLength) bytes."
            )
        }
        guard Self.isTimeZone(timeZone) else { throw .noTimeZone(timeZone) }
    }

    /// The key of the job that starts at a time: no two jobs of a schedule's time come about (SC1).
    public func key(at time: Timestamp) -> String { "\(keyPrefix)\(time.description.prefix(16))Z" }

    /// The time whose job has a key; nil for a key that no time of the schedule has.
    public func time(ofKey key: String) -> Timestamp? {
        guard key.hasPrefix(keyPrefix),
            let time = WrittenTime(String(key.dropFirst(keyPrefix.count)))?.fixedMoment,
            self.key(at: time) == key
        else { return nil }
        return time
    }

    /// The text with which the keys of all starts begin.
    public var keyPrefix: String { "\(name)@" }

    /// Whether a text may be the name of a time zone, whose file is looked for.
    private static func isTimeZone(_ text: String) -> Bool {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        return text.utf8.count <= maximumTimeZoneLength
            && parts.allSatisfy { part in
                !part.isEmpty
                    && part.utf8.allSatisfy { byte in
                        (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte | 0x20) || "_+-".utf8.contains(byte)
                    }
            }
    }
}

@_spi(Baton) extension Refusal {
    /// Refuses a time zone that does not exist here.
    public static func noTimeZone(_ name: String) -> Refusal {
        Refusal(
            .invalid,
            "There is no time zone \"\(name.asShown)\" on the coordinator's host. A time zone has a name such as Europe/Berlin, in the "
                + "time zone database of the host."
        )
    }

    /// Refuses a request about a schedule that does not exist.
    public static func noSuchSchedule(_ name: String) -> Refusal {
        Refusal(.notFound, "There is no schedule \(name.asShown).")
    }
}
