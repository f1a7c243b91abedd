/// Something that has happened at a supply of workers: a line of `supply slurm --json`.
@_spi(Baton) public struct SupplyDocument: Document {
    /// What has happened: `submitted`, `found` (a job of an earlier run), `waits`, `joined`, `ended`, `cancelled`, `failed`, `blind` (the
    /// batch system or the cluster does not answer) or `back` (both answer again).
    public var event: String
    /// The job in the batch system; null if there is none.
    public var job: String?
    /// What has happened, as a sentence.
    public var message: String

    /// Describes what has happened.
    public init(event: String, job: String?, message: String) {
        self.event = event
        self.job = job
        self.message = message
    }
}
