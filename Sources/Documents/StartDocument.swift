/// What a start in the background has done: `start --background`.
@_spi(Baton) public struct StartDocument: Document {
    /// Whether the command has started the processes; false if a coordinator ran already.
    public var started: Bool
    /// The address at which the coordinator listens; null if it does not answer.
    public var coordinator: String?
    /// The id of the coordinator's process; null if it cannot be seen.
    public var processID: Int?
    /// The path of the log; null if the command has started nothing.
    public var log: String?

    /// Describes a start.
    public init(started: Bool, coordinator: String?, processID: Int?, log: String?) {
        self.started = started
        self.coordinator = coordinator
        self.processID = processID
        self.log = log
    }
}
