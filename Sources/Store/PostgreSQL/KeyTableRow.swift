/// The table of keys in the record, in the table `key_table`.
///
/// The record cannot tell what is in it: the coordinators seal it.
enum KeyTableRow {
    /// Keeps a sealed table in place of the earlier one.
    static let keep = """
        INSERT INTO key_table (version, sealed) VALUES (1, $1)
        ON CONFLICT (one) DO UPDATE SET version = key_table.version + 1, sealed = excluded.sealed
        """

    /// The sealed table; nil without one.
    static func sealed(_ connection: ServerConnection) throws(SQLError) -> String? {
        try connection.text("SELECT sealed FROM key_table")
    }
}
