/// What the holder of a key may do.
@_spi(Baton) public enum Role: String, CaseIterable, Hashable, Sendable, CustomStringConvertible {
    /// Submits, changes and asks.
    case client
    /// Takes work and reports it.
    case worker
    /// Asks, without seeing what operations do or return.
    case viewer
    /// The transport of running operations, with one key for all operations; an ``OperationToken`` says which operation asks.
    case operation
    /// Gets the coordinator's own keys once, for a second coordinator that stands in for the first.
    case coordinator

    /// The name of the role in files and on the command line.
    public var description: String { rawValue }

    /// The number of the role in a ``JoinToken``.
    var number: UInt8 {
        switch self {
        case .client: 1
        case .worker: 2
        case .viewer: 3
        case .operation: 4
        case .coordinator: 5
        }
    }

    /// The role of a number; nil for any other number.
    init?(number: UInt8) {
        guard let role = Self.allCases.first(where: { $0.number == number }) else { return nil }
        self = role
    }
}
