/// The start of an attempt, as its worker tells it.
public struct AttemptStart: Hashable, Sendable {
    /// The attempt.
    public var token: AttemptToken
    /// How many microseconds ago its code was started, when the worker said so.
    ///
    /// Clocks of hosts differ: only how long ago something was means the same everywhere.
    public var age: Int64

    /// Describes the start of an attempt; just now, where nothing else is said.
    public init(_ token: AttemptToken, age: Int64 = 0) {
        self.token = token
        self.age = age
    }
}
