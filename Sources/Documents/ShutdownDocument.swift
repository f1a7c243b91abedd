/// What has ended: `shutdown`.
@_spi(Baton) public struct ShutdownDocument: Document {
    /// A process that has ended.
    public struct Process: Document {
        /// What the process did: `coordinator` or `worker`.
        public var role: HealthDocument.Role
        /// The name of a worker; null for a coordinator.
        public var name: String?
        /// The id of the process.
        public var processID: Int

        /// Describes a process.
        public init(role: HealthDocument.Role, name: String?, processID: Int) {
            self.role = role
            self.name = name
            self.processID = processID
        }
    }

    /// The processes, the coordinator first.
    public var ended: [Process]

    /// Lists processes.
    public init(ended: [Process]) {
        self.ended = ended
    }
}
