@_spi(Baton) import BatonZeroMQ

/// The numbers that workers repeat in their hellos, so that a new leader knows that a hello was not late.
///
/// Owns the number of each connection that was challenged. Guarantees that a connection has one number until it ends, so that the hellos
/// that cross with a challenge are answered by one repetition.
struct HelloChallenges {
    private var numbers: [RoutingID: UInt64] = [:]

    /// The number of a connection; nil if it was not challenged.
    subscript(peer: RoutingID) -> UInt64? { numbers[peer] }

    /// Whether no connection has a number.
    var isEmpty: Bool { numbers.isEmpty }

    /// Notes the number of a connection that has none.
    mutating func note(_ number: UInt64, of peer: RoutingID) { numbers[peer] = number }

    /// Drops the number of a connection that has ended: a later one of the same name is another connection.
    mutating func connectionEnded(_ peer: RoutingID) {
        guard !numbers.isEmpty else { return }
        numbers[peer] = nil
    }

    /// Drops all numbers: whoever is challenged from now on gets another one.
    mutating func removeAll() { numbers = [:] }
}
