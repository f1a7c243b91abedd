/// What happens with the times of a schedule that were missed, such as those at which no coordinator ran (SC1).
@_spi(Baton) public enum ScheduleCatchUp: UInt8, Sendable, CaseIterable, CustomStringConvertible {
    /// The last of them starts as soon as it can.
    case last = 0
    /// None of them starts.
    case nothing = 1

    /// Reads a rule by its name; nil for an unknown name.
    public init?(_ text: String) {
        guard let named = Self.allCases.first(where: { $0.description == text }) else { return nil }
        self = named
    }

    /// The name of the rule.
    public var description: String {
        switch self {
        case .last: "last"
        case .nothing: "none"
        }
    }
}
