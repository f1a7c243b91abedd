/// Whether an operation runs again after the loss of an attempt with its worker (D3).
@_spi(Baton) public enum RestartPolicy: UInt8, Sendable, CaseIterable, CustomStringConvertible {
    /// The operation runs again, as another attempt: at least once in all.
    case onLoss = 0
    /// The operation does not run again: at most once, except for retries after its own failures.
    case never = 1

    /// Reads a policy by its name.
    ///
    /// - Returns: nil for an unknown name.
    public init?(_ text: String) {
        guard let named = Self.allCases.first(where: { $0.description == text }) else { return nil }
        self = named
    }

    /// The name of the policy.
    public var description: String {
        switch self {
        case .onLoss: "onLoss"
        case .never: "never"
        }
    }
}
