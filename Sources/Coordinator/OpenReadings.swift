/// What the record is being asked for the sake of clients: it answers in the order of the questions.
///
/// So few questions are there at once, and of those that may take long only one: everybody else waits for no more of them.
struct OpenReadings {
    /// How long the record may take for what a client asks.
    enum Length: Sendable {
        /// About as long as for one operation.
        case short
        /// Longer, or nobody knows.
        case long
    }

    /// How many questions that do not take long may be open at once.
    private static let mostShort = 16

    private var short = 0
    private var long = 0

    /// Whether another question may be asked.
    func hasRoom(for length: Length) -> Bool {
        switch length {
        case .short: short < Self.mostShort
        case .long: long == 0
        }
    }

    /// Notes that the record is asked.
    mutating func begin(_ length: Length) {
        switch length {
        case .short: short += 1
        case .long: long += 1
        }
    }

    /// Notes that the record has answered.
    mutating func end(_ length: Length) {
        switch length {
        case .short: short -= 1
        case .long: long -= 1
        }
    }
}
