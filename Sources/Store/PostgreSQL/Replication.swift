/// How the server of a record copies what it has committed to other servers.
@_spi(Baton) public enum Replication: String, Sendable, CaseIterable {
    /// A commit is answered only after another server has received it.
    case synchronous
    /// Another server follows, and may lack the last commits.
    case asynchronous
    /// No other server follows.
    case none
}

extension Replication {
    /// Asks a server for 2 with synchronous replicas, 1 with others alone, and 0 without any, which every role may.
    static let question = """
        SELECT CASE
            WHEN current_setting('synchronous_standby_names') <> ''
                AND current_setting('synchronous_commit') IN ('on', 'remote_write', 'remote_apply') THEN 2
            WHEN EXISTS (SELECT 1 FROM pg_stat_replication) THEN 1
            ELSE 0
        END::bigint
        """

    /// What an answer to ``question`` says; nil for none.
    init?(answer: Int64?) {
        switch answer {
        case 2: self = .synchronous
        case 1: self = .asynchronous
        case 0: self = .none
        default: return nil
        }
    }
}
