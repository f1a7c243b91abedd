/// The rate of some work, and the time that the rest will take, out of looks at the number of finished parts.
///
/// The rate is a mean in which recent parts count more: about the last ``memory`` parts, and those of at least
/// ``shortestMemory``. It changes only when parts finish, or when they finish later than any lately, so that the figures do not
/// jump between two parts, and the remaining time runs down like a clock.
@_spi(Baton) public struct ProgressEstimate: Sendable, Equatable {
    /// The number of parts that the mean is about.
    private static let memory = 20.0
    /// The time that the mean is about at least, in seconds.
    private static let shortestMemory = 10.0
    /// The time in which the shown end comes about as close to the computed end as two thirds, in seconds.
    private static let settlingTime = 3.0
    /// How long after the computed end there is still one, in seconds.
    private static let mostOverdue = 2.0
    /// The share of a reported part that is enough to go by.
    private static let leastShare = 0.05

    /// The parts of the last look.
    private var parts: Double
    /// The parts that have finished since the first look.
    private var gained = 0.0
    /// The parts that have finished lately, and the time that they took, both with weights that fall with age.
    private var recentParts = 0.0
    private var recentTime = 0.0
    /// When parts finished last.
    private var lastGain: Double
    /// The longest time between two looks with finished parts lately.
    private var longestGap = 0.0
    /// The start, from which the mean gap is computed.
    private var start: Double
    /// Whether parts were in work before the first look, for which nobody knows how long they took.
    private var isJoining = false
    /// Whether there is something to go by.
    private var isKnown = false
    /// When the work is expected to end, as shown; nil while there is nothing to go by.
    private var shownEnd: Double?
    private var lastLook: Double

    /// Starts with a number of parts that are finished already.
    ///
    /// If there are any, the measurement begins when the next one finishes: it was in work before.
    ///
    /// - Parameters:
    ///   - parts: the number of finished parts.
    ///   - time: the time of the look, by any clock.
    public init(parts: Double, at time: Duration) {
        self.init(parts: parts, start: time.inSeconds, gained: 0, time: time.inSeconds)
        isJoining = parts > 0
    }

    /// Starts with work that began earlier, and has finished its parts evenly since.
    ///
    /// - Parameters:
    ///   - parts: the number of finished parts.
    ///   - elapsed: the time since the start of the work.
    ///   - time: the time of the look, by any clock.
    public init(parts: Double, after elapsed: Duration, at time: Duration) {
        let begin = time.inSeconds - max(0, elapsed.inSeconds)
        self.init(parts: parts, start: begin, gained: parts, time: time.inSeconds)
    }

    private init(parts: Double, start: Double, gained: Double, time: Double) {
        self.parts = parts
        self.start = start
        lastLook = time
        lastGain = start
        guard gained > 0 else { return }
        self.gained = gained
        (recentParts, recentTime) = (gained, time - start)
        longestGap = recentTime / gained
        lastGain = time
    }

    /// Notes another look.
    ///
    /// - Parameters:
    ///   - parts: the number of finished parts; a part may count by a fraction. A smaller number than before changes nothing
    ///     but the next difference.
    ///   - rest: the parts that are left.
    ///   - running: the parts that are in work now: as many have to finish before there is a remaining time, because parts
    ///     that run beside each other finish together.
    ///   - isReported: whether parts in work report their fractions, so that a small fraction is enough.
    ///   - time: the time of the look, by the same clock.
    public mutating func note(parts: Double, rest: Double, running: Int, isReported: Bool, at time: Duration) {
        let time = time.inSeconds
        gain(parts, at: time)
        let needed = isReported ? Self.leastShare * Double(max(1, running)) : Double(max(1, running))
        if gained >= needed { isKnown = true }
        settle(rest: rest, at: time)
        lastLook = max(lastLook, time)
    }

    /// The number of parts that finish in a second, at a time; nil while there is nothing to go by.
    public func rate(at time: Duration) -> Double? {
        let rate = rate(at: time.inSeconds)
        return isKnown && rate > 0 ? rate : nil
    }

    /// How long the rest takes, from the last look on; nil while there is nothing to go by, and without a rest.
    public var remaining: Duration? {
        shownEnd.map { .seconds(max(0, $0 - lastLook)) }
    }

    private mutating func gain(_ parts: Double, at time: Double) {
        defer { self.parts = parts }
        let difference = parts - self.parts
        if isJoining, difference > 0 {
            isJoining = false
            (start, lastGain) = (time, time)
            return
        }
        guard difference > 0, time > lastGain else {
            // Parts at the same moment as the last ones belong to them.
            if difference > 0 {
                gained += difference
                recentParts += difference
            }
            return
        }
        let gap = time - lastGain
        gained += difference
        let weight = Self.weight(ofAge: gap, memory: max(Self.shortestMemory, Self.memory * (time - start) / gained))
        recentParts = recentParts * weight + difference
        recentTime = recentTime * weight + gap
        longestGap = max(gap, longestGap * weight)
        lastGain = time
    }

    private func rate(at time: Double) -> Double {
        // A silence counts only beyond the usual gaps.
        let lateness = max(0, time - lastGain - longestGap)
        let whole = recentTime + lateness
        return whole > 0 ? recentParts / whole : 0
    }

    /// Moves the shown end towards the computed end.
    private mutating func settle(rest: Double, at time: Double) {
        let rate = rate(at: time)
        guard isKnown, rest > 0, rate > 0 else {
            shownEnd = nil
            return
        }
        // The rest takes longer than what has finished did, and nobody knows how much longer.
        let promised = lastGain + rest * recentTime / recentParts
        guard time < promised + max(longestGap, Self.mostOverdue) else {
            shownEnd = nil
            return
        }
        // Within the usual gap, the computed end stays where it was when parts finished last.
        let computed = max(lastGain, time - longestGap) + rest / rate
        guard let shown = shownEnd else {
            shownEnd = computed
            return
        }
        let old = Self.weight(ofAge: max(0, time - lastLook), memory: Self.settlingTime)
        shownEnd = computed + (shown - computed) * old
    }

    /// The weight of something of an age: 1 at first, and about a third after the time of the memory.
    private static func weight(ofAge age: Double, memory: Double) -> Double {
        // 1 / (1 + x + x²/2) is close to exp(-x), which would need the C library's mathematics.
        let ratio = age / memory
        return 1 / (1 + ratio + ratio * ratio / 2)
    }
}

extension Duration {
    /// The duration as a number of seconds.
    fileprivate var inSeconds: Double { self / .seconds(1) }
}
