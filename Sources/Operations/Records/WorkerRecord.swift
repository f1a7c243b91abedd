/// The record of a worker with a session.
@_spi(Baton) public struct WorkerRecord: Hashable, Sendable {
    /// The identity, which distinguishes workers of the same name.
    public var id: WorkerID
    /// The life of the worker's process: another life does not know the attempts of this life.
    public var life: WorkerLife
    /// The number of the key that the worker joined with; nil without keys, and in an older record.
    public var keyNumber: UInt32?

    /// Describes a worker; the defaults stand for a worker in an older record.
    public init(id: WorkerID = .unknown, life: WorkerLife = WorkerLife(rawValue: 0), keyNumber: UInt32? = nil) {
        self.id = id
        self.life = life
        self.keyNumber = keyNumber
    }
}
