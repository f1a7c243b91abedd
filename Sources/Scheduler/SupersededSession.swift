import BatonOperations

/// A session whose worker's place was taken by another session.
struct SupersededSession {
    /// The worker whose place it is.
    var place: Int32
    /// Whose session it was.
    var id: WorkerID
    /// The process whose session it was.
    var life: WorkerLife
}
