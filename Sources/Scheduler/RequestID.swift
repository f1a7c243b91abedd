/// Names a request, so that its answer finds the one who asked.
public struct RequestID: RawRepresentable, Hashable, Sendable {
    /// The number of the request, given by the shell.
    public let rawValue: UInt64

    /// Makes a request's name out of its number.
    public init(rawValue: UInt64) {
        self.rawValue = rawValue
    }
}
