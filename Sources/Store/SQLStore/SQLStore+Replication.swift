/// How the server of a record copies what it has committed to other servers.
@_spi(Baton) public enum Replication: String, Sendable, CaseIterable {
    /// A commit is answered once another server has it, too.
    case synchronous
    /// Another server follows, and may lack the last commits.
    case asynchronous
    /// No other server follows.
    case none
}

@_spi(Baton) extension SQLStore {
    /// Asks for 2 with synchronous replicas, 1 with others alone, and 0 without any, which every role may.
    private static var replicationQuestion: String {
        """
        SELECT CASE
            WHEN current_setting('synchronous_standby_names') <> ''
                AND current_setting('synchronous_commit') IN ('on', 'remote_write', 'remote_apply') THEN 2
            WHEN EXISTS (SELECT 1 FROM pg_stat_replication) THEN 1
            ELSE 0
        END::bigint
        """
    }

    /// How the record's server copies what it has committed; nil for a record in a file, and if the server does not say.
    public func replication() -> Replication? {
        guard case .server(let session) = engine else { return nil }
        return switch try? session.current.number(Self.replicationQuestion) {
        case 2: .synchronous
        case 1: .asynchronous
        case 0: Replication.none
        default: nil
        }
    }
}
