/// Whether the processes of a state directory go on: `health`.
@_spi(Baton) public struct HealthDocument: Document {
    /// What a process does.
    public enum Role: String, DocumentValue, CaseIterable {
        /// It is a coordinator.
        case coordinator
        /// It is a worker.
        case worker
    }

    /// What a coordinator does among those that have the same record.
    public enum Duty: String, DocumentValue, CaseIterable {
        /// It answers workers and clients; the only coordinator of a record leads.
        case leads
        /// It waits until nobody leads, and leads then.
        case standsBy
    }

    /// One process.
    public struct Process: Document {
        /// What the process does: `coordinator` or `worker`.
        public var role: Role
        /// The name of a worker; null for a coordinator.
        public var name: String?
        /// Whether the process has answered.
        public var answers: Bool
        /// Whether it is of use now: a worker is connected to its coordinator, a coordinator can write its record, and one that stands by
        /// reaches it.
        public var ready: Bool
        /// The address of the coordinator: of a worker, the address to which the worker connects; null without an answer.
        public var coordinator: String?
        /// The number of operations that execute, for a coordinator in its whole cluster; null without an answer.
        public var executing: Int?
        /// What a coordinator does: it leads or stands by; null for a worker, and without an answer.
        public var duty: Duty?
        /// The fingerprint of the table of keys that a leading coordinator has written to its record on a server, `none` before the first;
        /// absent for every other process.
        @IfPresent public var keyTable: String?
        /// What was found, in a sentence.
        public var message: String

        /// Describes a process.
        public init(
            role: Role,
            name: String?,
            answers: Bool,
            ready: Bool,
            coordinator: String? = nil,
            executing: Int? = nil,
            duty: Duty? = nil,
            keyTable: String? = nil,
            message: String
        ) {
            self.role = role
            self.name = name
            self.answers = answers
            self.ready = ready
            self.coordinator = coordinator
            self.executing = executing
            self.duty = duty
            self.keyTable = keyTable
            self.message = message
        }
    }

    /// Whether a process runs and each one that runs answers; with `--ready`, whether each is ready, too.
    public var healthy: Bool
    /// The processes that run, the coordinator first.
    public var processes: [Process]

    /// Lists processes.
    ///
    /// - Parameter wantsReady: whether a healthy process has to be ready.
    public init(processes: [Process], wantsReady: Bool) {
        self.processes = processes
        healthy = !processes.isEmpty && processes.allSatisfy { $0.answers && ($0.ready || !wantsReady) }
    }
}
