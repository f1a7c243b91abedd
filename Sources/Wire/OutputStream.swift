/// One of the two streams that an attempt prints.
@_spi(Baton) public enum OutputStream: UInt8, Sendable, CaseIterable {
    /// Standard output.
    case standardOutput = 1
    /// Standard error.
    case standardError = 2
}
