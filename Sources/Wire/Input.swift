/// The result of one dependency, as an operation is given it (`BATON_INPUTS`).
public struct Input: Hashable, Sendable {
    /// The file's name: the dependency's name, or its index where it has none; of another job, `JOB.` before it.
    public var name: String
    /// What the dependency left.
    public var bytes: [UInt8]

    /// Describes an input.
    public init(name: String, bytes: [UInt8]) {
        self.name = name
        self.bytes = bytes
    }
}
