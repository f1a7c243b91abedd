/// The priority of an operation among the ready ones of its queue (PR1, PR2).
@_spi(Baton) public enum Priority: Int8, Sendable, CaseIterable, Comparable, CustomStringConvertible {
    /// The value -8: last.
    case veryLow = -8
    /// The value -4.
    case low = -4
    /// The value 0, the default.
    case normal = 0
    /// The value 4.
    case high = 4
    /// The value 8: first.
    case veryHigh = 8

    /// Takes any number and moves it towards normal to the nearest priority (PR5).
    public init(clamping number: Int) {
        switch number {
        case ...(-8): self = .veryLow
        case -7 ... -4: self = .low
        case -3...3: self = .normal
        case 4...7: self = .high
        default: self = .veryHigh
        }
    }

    /// Reads a priority as users type it: a name (`veryHigh`) or any whole number, clamped (PR5).
    ///
    /// - Returns: nil for any other text.
    public init?(_ text: String) {
        if let number = Int(text) {
            self.init(clamping: number)
        } else if let named = Self.allCases.first(where: { $0.description == text }) {
            self = named
        } else {
            return nil
        }
    }

    /// The name of the priority.
    public var description: String {
        switch self {
        case .veryLow: "veryLow"
        case .low: "low"
        case .normal: "normal"
        case .high: "high"
        case .veryHigh: "veryHigh"
        }
    }

    /// Orders priorities from veryLow to veryHigh.
    public static func < (left: Priority, right: Priority) -> Bool {
        left.rawValue < right.rawValue
    }
}
