@_spi(Baton) import BatonWire

/// The workers of which pieces are asked directly, and those that are left alone for a while because they did not answer.
struct DirectHolders {
    /// How long a worker may be silent while it has requests.
    static let patience = Duration.seconds(5)
    /// How long a worker that was silent, or has refused, is not asked directly.
    static let pause = Duration.seconds(60)

    /// A worker that has requests.
    private struct Holder {
        /// The number of its open requests.
        var open = 0
        /// When it answered last; or, if later, when the first of its open requests was sent.
        var heardAt: Duration
    }

    private var holders: [DataAddress: Holder] = [:]
    /// Until when workers are not asked.
    private var avoided: [DataAddress: Duration] = [:]
    /// The number of open requests to all workers.
    private(set) var openCount = 0

    /// When the patience with a worker ends; nil if none has requests.
    var nextDeadline: Duration? { holders.values.map(\.heardAt).min().map { $0 + Self.patience } }

    /// Notes that a worker is asked for a piece.
    mutating func ask(_ address: DataAddress, at now: Duration) {
        holders[address, default: Holder(heardAt: now)].open += 1
        openCount += 1
    }

    /// Notes that a worker has answered.
    mutating func heard(_ address: DataAddress, at now: Duration) { holders[address]?.heardAt = now }

    /// Notes that a request to a worker is not open any more.
    mutating func close(_ address: DataAddress) {
        guard let holder = holders[address] else { return }
        openCount -= 1
        if holder.open > 1 { holders[address]?.open -= 1 } else { holders[address] = nil }
    }

    /// Whether a worker has open requests.
    func isAsked(_ address: DataAddress) -> Bool { holders[address] != nil }

    /// The workers whose silence has lasted too long, in order.
    func silent(at now: Duration) -> [DataAddress] {
        guard !holders.isEmpty else { return [] }
        return holders.filter { $0.value.heardAt + Self.patience <= now }.keys.sorted { $0.endpoint < $1.endpoint }
    }

    /// Notes that a worker is not to be asked for a while.
    mutating func avoid(_ address: DataAddress, at now: Duration) {
        avoided = avoided.filter { $0.value > now }
        avoided[address] = now + Self.pause
    }

    /// Whether a worker is not to be asked at present.
    func isAvoided(_ address: DataAddress, at now: Duration) -> Bool { avoided[address].map { $0 > now } ?? false }
}
