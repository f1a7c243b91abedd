/// The properties of a database server that matter to a coordinator with its record on the server.
///
/// The examination does not tell whether the record exists, and changes nothing.
@_spi(Baton) public struct ServerExamination: Hashable, Sendable {
    /// How the server copies what it has committed; nil if it does not say.
    public let replication: Replication?
    /// The role of the connection.
    public let role: String
    /// Whether the role may do everything on the server.
    public let isSuperuser: Bool

    /// Describes a server.
    package init(replication: Replication?, role: String, isSuperuser: Bool) {
        self.replication = replication
        self.role = role
        self.isSuperuser = isSuperuser
    }

    /// Asks a server.
    ///
    /// - Throws: ``StoreError`` `unreachable`, or `notAccessible` for a server that cannot keep a record, such as one behind a pooler.
    public init(_ server: RecordServer) throws(StoreError) {
        do throws(SQLError) {
            let connection = try ServerConnection(server, for: .readingOnly)
            defer { connection.close() }
            role = try connection.text("SELECT current_user::text") ?? server.user
            isSuperuser = try connection.number("SELECT rolsuper FROM pg_roles WHERE rolname = current_user") == 1
            replication = Replication(answer: try connection.number(Replication.question))
        } catch {
            throw StoreError(error, server: server)
        }
    }
}
