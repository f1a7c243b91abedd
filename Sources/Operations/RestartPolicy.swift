/// Whether an operation runs again whose attempt was lost with its worker (D3).
public enum RestartPolicy: UInt8, Sendable, CaseIterable, CustomStringConvertible {
    /// It does, as another attempt: it runs at least once.
    case onLoss = 0
    /// It does not: it runs at most once, but for the retries after its own failures.
    case never = 1

    /// Reads a policy by its name.
    ///
    /// - Returns: nil where no policy has that name.
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
