/// What a command or a worker needs to reach its coordinator, each checked on its own: `doctor`.
@_spi(Baton) public struct DoctorDocument: Document {
    /// The result of a check.
    public enum Status: String, DocumentValue, CaseIterable {
        /// The check has found what it expects.
        case ok
        /// The check has found something that may hurt.
        case warning
        /// The check has found a fault.
        case failed
        /// The check needs another one, which has failed.
        case skipped
    }

    /// One check.
    public struct Check: Document {
        /// The subject: `key`, `name`, `tcp`, `protocol`, `role`, `record`, `standby`, `clock`, `disk` or `limits`.
        ///
        /// `key` and `role` occur once for each key of the state directory, `name` and `tcp` once for each address of the coordinators.
        /// `record` and `standby` are for a record on a server; `standby` occurs once for each coordinator that stands by.
        public var check: String
        /// The result.
        public var status: Status
        /// What was found, in a sentence.
        public var message: String
        /// What to do; null where nothing is to do.
        public var advice: String?

        /// Describes a check.
        public init(check: String, status: Status, message: String, advice: String? = nil) {
            self.check = check
            self.status = status
            self.message = message
            self.advice = advice
        }
    }

    /// The checks, in the order in which a connection needs what they check.
    public var checks: [Check]

    /// Lists checks.
    public init(checks: [Check]) {
        self.checks = checks
    }
}
