/// The version of the protocol between the processes.
@_spi(Baton) public enum ProtocolVersion {
    /// The oldest version that this build still speaks.
    public static let oldest: UInt16 = 6
    /// The newest version that this build speaks.
    public static let newest: UInt16 = 6
}
