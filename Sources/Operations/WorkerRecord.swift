/// What the record keeps of a worker that has a session.
public struct WorkerRecord: Hashable, Sendable {
    /// Which of the workers of its name it is.
    public var id: WorkerID
    /// The life of its process: another one knows nothing of what this one held.
    public var life: WorkerLife

    /// Describes a worker; one of an older record, where nothing is said.
    public init(id: WorkerID = .unknown, life: WorkerLife = WorkerLife(rawValue: 0)) {
        self.id = id
        self.life = life
    }
}
