@_spi(Baton) import BatonZeroMQ

/// The numbers that workers repeat in their hellos to show a new leader that a hello is not late.
///
/// Owns the number of each connection that was challenged. Guarantees that a connection keeps one number until its end: several hellos that
/// cross with a challenge lead to one repeated hello.
struct HelloChallenges {
    private var numbers: [RoutingID: UInt64] = [:]

    /// The number of a connection; nil if it was not challenged.
    subscript(peer: RoutingID) -> UInt64? { numbers[peer] }

    /// Whether no connection has a number.
    var isEmpty: Bool { numbers.isEmpty }

    /// Notes the number of a connection without a number.
    mutating func note(_ number: UInt64, of peer: RoutingID) { numbers[peer] = number }

    /// Drops the number of a connection that has ended: a later connection with the same name is a different connection.
    mutating func connectionEnded(_ peer: RoutingID) {
        guard !numbers.isEmpty else { return }
        numbers[peer] = nil
    }

    /// Drops all numbers: every later challenge has a new number.
    mutating func removeAll() { numbers = [:] }
}
