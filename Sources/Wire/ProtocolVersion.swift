/// The versions of the protocol between the processes that this build speaks: one, or two that follow each other.
@_spi(Baton) public enum ProtocolVersion {
    /// The oldest version.
    public static let oldest: UInt16 = 1
    /// The newest version; 1 is that of Baton 0.1.0.
    public static let newest: UInt16 = 1
}
