/// The version of the protocol between the processes.
@_spi(Baton) public enum ProtocolVersion {
    /// The oldest version that this build still speaks.
    public static let oldest: UInt16 = 6
    /// The newest version that this build speaks.
    public static let newest: UInt16 = 7
    /// The first version in which operations act with tokens of their own.
    static let operations: UInt16 = 7
    /// The first version in which workers are told to stop, state a time limit, and report attempts as stopped.
    public static let stopping: UInt16 = 7
    /// The first version in which workers offer processors, memory, resources and labels.
    public static let resources: UInt16 = 7
    /// The first version in which workers tell how far away they are.
    public static let distance: UInt16 = 7
}
