/// A signal for the processes of an operation.
///
/// Signals travel by name, because their numbers differ between systems.
@_spi(Baton) public enum OperationSignal: String, Sendable, CaseIterable {
    case abort = "ABRT"
    case alarm = "ALRM"
    case hangUp = "HUP"
    case interrupt = "INT"
    case kill = "KILL"
    case quit = "QUIT"
    case terminate = "TERM"
    case user1 = "USR1"
    case user2 = "USR2"
    case window = "WINCH"

    /// The signals that may ask an attempt to end.
    public static let endings: [OperationSignal] = [.hangUp, .interrupt, .quit, .terminate, .user1, .user2]
}

@_spi(Baton) extension OperationSignal: OptionConvertible {
    var optionValue: OptionValue { .text(rawValue) }

    init?(_ value: OptionValue) {
        guard case .text(let text) = value else { return nil }
        self.init(rawValue: text)
    }
}
