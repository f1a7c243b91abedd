/// A request about a worker, as an event and as an action in the record.
@_spi(Baton) public enum WorkerRequest: UInt8, Hashable, Sendable, CaseIterable {
    /// The worker is to get nothing new.
    case drain = 0
    /// The worker may get operations again.
    case undrain = 1
    /// The worker's process is to end, after its drain timeout at the latest.
    case stop = 2
    /// The worker's process is to end, and what runs there is to be ended now.
    case stopNow = 3
    /// The worker, which is lost or has left, is to be removed from the list.
    case forget = 4

    /// The request as the command and as a word in documents: `drain`, `stop now`.
    public var word: String {
        switch self {
        case .drain: "drain"
        case .undrain: "undrain"
        case .stop: "stop"
        case .stopNow: "stop now"
        case .forget: "forget"
        }
    }
}
