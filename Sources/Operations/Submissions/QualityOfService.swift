/// The share of the machines that an operation or a queue should get, relative to others (QO1).
@_spi(Baton) public enum QualityOfService: UInt8, Sendable, CaseIterable, CustomStringConvertible {
    /// Work without a waiting user.
    case background = 0
    /// Work whose progress a user may look at.
    case utility = 1
    /// The default class.
    case `default` = 2
    /// Work that a user requested and waits for.
    case userInitiated = 3
    /// Work that a user watches.
    case userInteractive = 4

    /// Reads a class by its name.
    ///
    /// - Returns: nil for an unknown name.
    public init?(_ text: String) {
        guard let named = Self.allCases.first(where: { $0.description == text }) else { return nil }
        self = named
    }

    /// The share of free worker slots that a queue of this class gets, relative to others (QO5).
    public var weight: Int {
        switch self {
        case .background: 1
        case .utility: 2
        case .default: 4
        case .userInitiated: 8
        case .userInteractive: 16
        }
    }

    /// The name of the class.
    public var description: String {
        switch self {
        case .background: "background"
        case .utility: "utility"
        case .default: "default"
        case .userInitiated: "userInitiated"
        case .userInteractive: "userInteractive"
        }
    }
}
