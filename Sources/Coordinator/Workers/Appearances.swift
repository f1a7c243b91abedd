@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWire
@_spi(Baton) import BatonZeroMQ

/// Decides when the messages count by which a worker appears and breaks: at once, or later if they come too often.
///
/// Each such message makes a line of the log, an event and a change of the record, so that a peer could fill all three.
/// A message that comes too often waits for its time, and the next one of the same sender takes its place. A worker
/// that starts again a few times waits for nothing, nor does a fleet that starts at once.
struct Appearances {
    /// Whose messages have a common rate.
    fileprivate enum Subject: Hashable {
        case connection(RoutingID)
        /// A name of a worker; without keys, a name belongs to nobody.
        case name(String, key: UInt32)
        case key(UInt32)
        /// The reports of a session about the worker's health.
        case health(SessionID)
    }

    /// How many messages count.
    private struct Rate {
        /// How many messages count at once.
        var burst: Double
        /// How many further messages count in a second.
        var perSecond: Double

        /// The rate of one worker.
        static let ofWorker = Rate(burst: 20, perSecond: 0.5)

        /// The rate of all workers with a key: a fleet may start at once, and a large one again soon after.
        static func ofKey(workers: Int) -> Rate { Rate(burst: 16_384, perSecond: 1 + Double(workers) / 20) }
    }

    /// How many messages of a subject still count, at a moment; negative if later ones are promised their time.
    private struct Allowance {
        var left: Double
        var at: Timestamp
        var rate: Rate

        mutating func refill(until now: Timestamp) {
            let seconds = max(0, Double((now - at).microseconds) / 1_000_000)
            left = min(rate.burst, left + seconds * rate.perSecond)
            at = now
        }

        /// The time until the next message counts, in seconds.
        var wait: Double { left >= 1 ? 0 : (1 - left) / rate.perSecond }
    }

    /// A message that makes a worker appear or break, with its sender.
    struct Arrival {
        var message: WorkerMessage
        /// The length of the message in bytes.
        var length: Int
        var peer: RoutingID
        var requester: Requester?

        var key: UInt32? { requester?.number.rawValue }

        /// The place in which the message waits, and whose rates it counts for.
        fileprivate var subjects: (place: Subject, others: [Subject])? {
            switch message {
            case .hello(let hello):
                let others = key.map { [Subject.name(hello.name, key: $0), .key($0)] } ?? []
                return (place: .connection(peer), others: others)
            case .health(let session, _): return (place: .health(session), others: [])
            default: return nil
            }
        }
    }

    /// A message that waits.
    private struct Waiting {
        var arrival: Arrival
        var due: Timestamp
        /// Whether the message is already counted; otherwise it is judged anew at its time.
        var isCounted: Bool
        /// The order of the arrivals.
        var number: UInt64
    }

    /// The longest time for which a message waits before it is judged anew; a worker waits longer for its welcome.
    static let longestWait = Duration.seconds(3)

    private var allowances: [Subject: Allowance] = [:]
    private var waiting: [Subject: Waiting] = [:]
    /// The bytes of the messages that wait.
    private var budget = ByteBudget<UInt32?>(ofPeer: 8 << 20, inAll: 32 << 20, ownShare: 1 << 20)
    private var nextNumber: UInt64 = 0
    private var toldAt: [UInt32?: Timestamp] = [:]
    /// When the next message counts that waits; nil if none waits.
    private(set) var nextDeadline: Timestamp?

    /// Whether a message counts now; otherwise it waits for its time.
    ///
    /// A message for which the budget has no room is dropped: a worker whose hello is not answered connects again.
    ///
    /// - Parameter workersOfKey: the number of workers on the list with the sender's key.
    mutating func counts(_ arrival: Arrival, workersOfKey: Int, at now: Timestamp) -> Bool {
        guard let (place, others) = arrival.subjects else { return true }
        if var earlier = waiting[place] {
            budget.giveBack(earlier.arrival.length, of: earlier.arrival.key)
            guard budget.hasRoom(for: arrival.length, of: arrival.key) else {
                waiting[place] = nil
                return false
            }
            budget.reserve(arrival.length, for: arrival.key)
            earlier.arrival = arrival
            waiting[place] = earlier
            return false
        }
        var found: [(subject: Subject, allowance: Allowance)] = []
        for subject in [place] + others {
            var rate = Rate.ofWorker
            if case .key = subject { rate = .ofKey(workers: workersOfKey) }
            var allowance = allowances[subject] ?? Allowance(left: rate.burst, at: now, rate: rate)
            allowance.refill(until: now)
            allowance.rate = rate
            found.append((subject, allowance))
        }
        let seconds = found.reduce(0.0) { max($0, $1.allowance.wait) }
        let wait = Duration.microseconds(Int64(min(seconds, 1_000) * 1_000_000))
        let isCounted = wait <= Self.longestWait
        if isCounted {
            for (subject, allowance) in found {
                var allowance = allowance
                allowance.left -= 1
                allowances[subject] = allowance
            }
        }
        guard wait > .zero else { return true }
        guard budget.hasRoom(for: arrival.length, of: arrival.key) else { return false }
        budget.reserve(arrival.length, for: arrival.key)
        let due = now + min(wait, Self.longestWait)
        waiting[place] = Waiting(arrival: arrival, due: due, isCounted: isCounted, number: nextNumber)
        nextNumber += 1
        nextDeadline = min(nextDeadline ?? due, due)
        return false
    }

    /// Takes the messages whose time has come, in the order of their times.
    mutating func takeDue(at now: Timestamp) -> [(arrival: Arrival, isCounted: Bool)] {
        guard let deadline = nextDeadline, deadline <= now else { return [] }
        let due = waiting.filter { $0.value.due <= now }
            .sorted { ($0.value.due, $0.value.number) < ($1.value.due, $1.value.number) }
        for (subject, _) in due { drop(subject) }
        nextDeadline = waiting.values.lazy.map(\.due).min()
        return due.map { ($0.value.arrival, $0.value.isCounted) }
    }

    private mutating func drop(_ subject: Subject) {
        guard let dropped = waiting.removeValue(forKey: subject) else { return }
        budget.giveBack(dropped.arrival.length, of: dropped.arrival.key)
    }

    /// Drops what waits of a session that has ended.
    mutating func forget(_ session: SessionID, of peer: RoutingID) {
        drop(.health(session))
        if case .hello(let hello)? = waiting[.connection(peer)]?.arrival.message, hello.session == session {
            drop(.connection(peer))
        }
    }

    /// Drops the hello of a connection that has ended.
    mutating func connectionEnded(_ peer: RoutingID) {
        drop(.connection(peer))
        allowances[.connection(peer)] = nil
    }

    /// Drops what waits of a key that was revoked.
    mutating func forget(key: UInt32) {
        for (subject, message) in waiting where message.arrival.key == key { drop(subject) }
    }

    /// Forgets the subjects whose next messages count at once, as if there had been none.
    mutating func tidy(at now: Timestamp) {
        allowances = allowances.filter { _, allowance in
            var allowance = allowance
            allowance.refill(until: now)
            return allowance.left < allowance.rate.burst
        }
        toldAt = toldAt.filter { now - $0.value < Self.tellingInterval }
    }

    /// The least time between two lines of the log about the messages of a key that wait.
    private static let tellingInterval = Duration.seconds(60)

    /// Notes that a message with a key waits.
    ///
    /// - Returns: whether the log shall tell it.
    mutating func isNews(ofKey key: UInt32?, at now: Timestamp) -> Bool {
        if let last = toldAt[key], now - last < Self.tellingInterval { return false }
        toldAt[key] = now
        return true
    }
}
