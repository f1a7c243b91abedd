/// The start of an attempt, as reported by its worker.
@_spi(Baton) public struct AttemptStart: Hashable, Sendable {
    /// The attempt.
    public var token: AttemptToken
    /// The time between the start of the code and the worker's report, in microseconds.
    ///
    /// Clocks of hosts differ, but an age means the same on every host.
    public var age: Int64

    /// Describes the start of an attempt; the default age means just now.
    public init(_ token: AttemptToken, age: Int64 = 0) {
        self.token = token
        self.age = age
    }
}
