/// The version of the protocol between the processes.
@_spi(Baton) public enum ProtocolVersion {
    /// The oldest version that this build still speaks.
    public static let oldest: UInt16 = 7
    /// The newest version that this build speaks.
    public static let newest: UInt16 = 8
    /// The first version in which Swift operations get the results of their dependencies and report their progress.
    public static let typedCalls: UInt16 = 8
    /// The first version in which completions tell what the processes of an attempt used.
    public static let usage: UInt16 = 8
    /// The first version in which the coordinator tells workers which record it has, from which the identities of spans are derived.
    public static let traces: UInt16 = 8
}
