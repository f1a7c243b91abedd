/// A file of a coordinator's key directory that is missing, although other files show that it was there.
@_spi(Baton) public enum LostKeyFile: String, CaseIterable, Hashable, Sendable {
    /// The secret key of the coordinator.
    case server
    /// The secret behind the tokens of operations.
    case operations
    /// The table of keys.
    case authorized

    /// What it means that the file is made anew, in a sentence.
    public var consequence: String {
        switch self {
        case .server:
            "The coordinator has another key than the one that other hosts know, and they reach it no more. "
                + "To undo that, put the file back and start the coordinator again."
        case .operations:
            "The tokens of operations that have started are refused. "
                + "To undo that, put the file back and start the coordinator again."
        case .authorized:
            "Every key is refused but those of this state directory. "
                + "To undo that, put the file back and start the coordinator again."
        }
    }
}
