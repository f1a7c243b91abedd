@_spi(Baton) import BatonInvariants
@_spi(Baton) import BatonOperations

/// Decides when the inputs of waiting attempts are fetched (DE20).
///
/// Inputs are fetched before a slot is free, so that no slot waits for the network. A far worker gets many attempts ahead, whose
/// inputs together could fill its disk, and delay those of an attempt that comes first: only the inputs of the next attempts
/// are fetched, up to a number of bytes. Attempts that come before all fetched ones never wait.
struct InputWindow: Sendable {
    /// The bytes of inputs, expected or received, before which further inputs are fetched.
    static let mostBytes = 16 << 20
    /// The most attempts whose inputs are fetched, beside one for each slot; the coordinator keeps a request for each.
    static let mostAttempts = 4096
    /// The bytes that inputs are expected to have before any were received.
    private static let assumedBytes = 1 << 20

    private struct Fetched: Sendable {
        let place: WaitingLine.Place
        /// The bytes that count: the expected number, or the received number if larger or final.
        var counted: Int
        var received = 0
    }

    private let slots: Int
    private var waiting = WaitingLine()
    /// The attempts whose inputs were requested and that have not started.
    private var fetched: [AttemptToken: Fetched] = [:]
    /// The counted bytes of all fetched inputs.
    private var bytes = 0
    /// The last place of all fetched attempts, or a later place.
    private var lastPlace: WaitingLine.Place?
    /// The mean number of bytes of an attempt's inputs, by the last attempts.
    private var expectedBytes = assumedBytes

    /// - Parameter slots: the worker's number of slots: for as many attempts inputs are fetched, however large they are.
    init(slots: Int) {
        self.slots = slots
    }

    /// Adds an attempt whose inputs are to be fetched.
    mutating func add(_ token: AttemptToken, at place: WaitingLine.Place) {
        invariant(fetched[token] == nil, "The inputs of an attempt are to be requested a second time.")
        waiting.insert(token, at: place)
    }

    /// Removes and returns the next attempt whose inputs are to be requested now; nil if the window is full.
    mutating func takeNext() -> AttemptToken? {
        guard let next = waiting.first, hasRoom(at: next.place) else { return nil }
        _ = waiting.popFirst()
        invariant(fetched[next.token] == nil, "The inputs of an attempt are requested twice.")
        fetched[next.token] = Fetched(place: next.place, counted: expectedBytes)
        bytes += expectedBytes
        lastPlace = max(lastPlace ?? next.place, next.place)
        return next.token
    }

    /// Notes received inputs of an attempt.
    mutating func receive(_ count: Int, of token: AttemptToken, isLast: Bool) {
        guard var inputs = fetched[token] else { return }
        inputs.received += count
        if isLast { expectedBytes += (inputs.received - expectedBytes) / 4 }
        let counted = isLast ? inputs.received : max(inputs.counted, inputs.received)
        bytes += counted - inputs.counted
        invariant(bytes >= 0, "The received inputs have fewer than no bytes.")
        inputs.counted = counted
        fetched[token] = inputs
    }

    /// Removes an attempt, which starts or never will.
    mutating func remove(_ token: AttemptToken, at place: WaitingLine.Place) {
        guard let inputs = fetched.removeValue(forKey: token) else { return waiting.remove(at: place) }
        bytes -= inputs.counted
        invariant(bytes >= 0, "The fetched inputs have fewer than no bytes.")
        guard fetched.isEmpty else { return }
        invariant(bytes == 0, "The inputs of no attempt have bytes.")
        lastPlace = nil
    }

    /// Whether an attempt's inputs may be requested, judged by the attempts before it.
    private func hasRoom(at place: WaitingLine.Place) -> Bool {
        guard let lastPlace, place < lastPlace else { return hasRoom(behind: fetched.count, bytes) }
        let before = fetched.values.filter { $0.place < place }
        return hasRoom(behind: before.count, before.reduce(0) { $0 + $1.counted })
    }

    private func hasRoom(behind attempts: Int, _ bytes: Int) -> Bool {
        attempts < slots || attempts < slots + Self.mostAttempts && bytes + expectedBytes <= Self.mostBytes
    }
}
