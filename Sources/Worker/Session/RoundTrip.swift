/// The round trip to the coordinator, as measured in the current session by messages and their answers.
///
/// The estimate is the shortest of the last measurements. Load, and other messages on the way, lengthen single round trips, which
/// the coordinator must not take for the distance.
struct RoundTrip: Sendable {
    /// The number of measurements that count: a path that has become longer shows after as many heartbeats.
    private static let window = 5
    /// The number of measurements that a far worker takes at once, since the first one may have waited on the way.
    private static let firstMeasurements = 4
    /// The shortest round trip worth telling: up to there the coordinator treats all workers alike.
    private static let shortest = Duration.milliseconds(2)
    /// The least change worth telling.
    private static let leastChange = Duration.milliseconds(1)

    private var last: [Duration] = []
    /// The round trip that the coordinator has been told; zero before.
    private var told = Duration.zero

    /// The shortest of the last measurements; zero before the first.
    var estimate: Duration { last.min() ?? .zero }

    /// Whether another measurement should follow at once.
    var needsMeasurement: Bool { last.count < Self.firstMeasurements && !isNear }

    /// Whether the coordinator is so near that nothing is worth telling.
    var isNear: Bool { estimate < Self.shortest }

    /// Adds a measurement.
    mutating func add(_ time: Duration) {
        if last.count == Self.window { last.removeFirst() }
        last.append(max(time, .zero))
    }

    /// The estimate, if the coordinator should be told: it differs by more than an eighth from what was told before.
    mutating func takeNews() -> Duration? {
        guard max(estimate, told) >= Self.shortest else { return nil }
        let change = estimate > told ? estimate - told : told - estimate
        guard change >= max(Self.leastChange, told / 8) else { return nil }
        told = estimate
        return estimate
    }
}
