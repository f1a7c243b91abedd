@_spi(Baton) import BatonOperations

/// A session whose worker's place was taken by another session.
struct SupersededSession {
    /// The worker that has the place now.
    var worker: WorkerIndex
    /// The identity of the worker that had the session.
    var id: WorkerID
    /// The process that had the session.
    var life: WorkerLife
}
