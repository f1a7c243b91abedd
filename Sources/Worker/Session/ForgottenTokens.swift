@_spi(Baton) import BatonOperations

/// The most recently forgotten attempts, kept so that a repeated dispatch does not run twice.
///
/// The set remembers at least ``generationLength`` tokens and at most twice as many.
struct ForgottenTokens: Sendable {
    static let generationLength = 8192

    private var current: Set<AttemptToken> = []
    private var previous: Set<AttemptToken> = []

    func contains(_ token: AttemptToken) -> Bool {
        current.contains(token) || previous.contains(token)
    }

    mutating func insert(_ token: AttemptToken) {
        if current.count >= Self.generationLength {
            previous = current
            current = []
        }
        current.insert(token)
    }
}
