/// The result of one dependency, as a file among the inputs of an operation's commands (`BATON_INPUTS`).
@_spi(Baton) public struct Input: Hashable, Sendable {
    /// The file's name: the dependency's name, or else its index; for another job, with the prefix `JOB.`.
    public var name: String
    /// The result of the dependency.
    public var bytes: [UInt8]

    /// Describes an input.
    public init(name: String, bytes: [UInt8]) {
        self.name = name
        self.bytes = bytes
    }
}
