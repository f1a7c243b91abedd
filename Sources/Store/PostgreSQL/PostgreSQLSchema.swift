/// The tables of a record in a schema of PostgreSQL.
///
/// They are those of an SQLite file, with the same columns and views, made from the same text.
enum PostgreSQLSchema {
    /// Makes the tables in an empty schema, or checks the existing tables; the connection has the lock of the record.
    ///
    /// - Returns: the leader's row.
    /// - Throws: `foreign` for the tables of something else, or of a version that this build does not know.
    static func prepare(_ connection: ServerConnection, schema: String) throws(SQLError) -> LeaderRow {
        if try !hasLeader(connection, schema: schema) {
            let count = try connection.number(
                """
                SELECT count(*) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
                WHERE n.nspname = '\(schema)' AND c.relkind <> 'i'
                """
            )
            guard count == 0 else { throw SQLError(.foreign, belongsToOthers(schema)) }
            try connection.make(statements(schema: schema))
        }
        let row = try leader(connection, schema: schema)
        guard row.version == Int64(Schema.current.version) else {
            throw SQLError(
                .foreign,
                "The tables in the schema \(schema) have version \(row.version), and this build of Baton knows version "
                    + "\(Schema.current.version). Use the version of Baton that wrote them, or a later one."
            )
        }
        let missing = try connection.text(
            """
            SELECT string_agg(t.name, ', ' ORDER BY t.name)
            FROM unnest(ARRAY[\(Schema.shapes.map { "'\($0.name)'" }.joined(separator: ", "))]) AS t (name)
            WHERE to_regclass(quote_ident('\(schema)') || '.' || t.name) IS NULL
            """
        )
        if let missing { throw SQLError(.foreign, lacksTables(schema, missing)) }
        try complete(connection, schema: schema)
        return row
    }

    /// Adds what a record of an earlier build lacks: it is about the coordinators alone, so that the version is the same.
    private static func complete(_ connection: ServerConnection, schema: String) throws(SQLError) {
        guard try connection.number("SELECT to_regclass('\(schema).key_table') IS NULL") == 1 else { return }
        try connection.make(["ALTER TABLE leader ADD COLUMN IF NOT EXISTS web text", keyTable])
    }

    /// Whether the schema has the table of the leader.
    static func hasLeader(_ connection: ServerConnection, schema: String) throws(SQLError) -> Bool {
        try connection.number("SELECT to_regclass('\(schema).leader') IS NOT NULL") == 1
    }

    /// The leader's row.
    ///
    /// - Throws: `foreign` if the table of this name has other columns, or not one row.
    private static func leader(_ connection: ServerConnection, schema: String) throws(SQLError) -> LeaderRow {
        let row: LeaderRow?
        do throws(SQLError) {
            row = try LeaderRow(connection)
        } catch {
            guard error.code == .statement else { throw error }
            throw SQLError(.foreign, belongsToOthers(schema))
        }
        guard let row else { throw SQLError(.foreign, lacksLeader(schema)) }
        return row
    }

    private static func belongsToOthers(_ schema: String) -> String {
        "The schema \(schema) of the database belongs to something else. Name another one: "
            + "--store 'postgres://.../DATABASE?schema=NAME'."
    }

    private static func lacksTables(_ schema: String, _ names: String) -> String {
        "The record in the schema \(schema) is not whole: it lacks \(names). If it is being restored, wait for the end; otherwise "
            + "restore it from a dump."
    }

    private static func lacksLeader(_ schema: String) -> String {
        "The record in the schema \(schema) is not whole: the table leader has lost its row, and without it nothing tells which commits "
            + "the record has. If it is being restored, wait for the end; otherwise restore it from a dump."
    }

    /// The sentence for the tables of a record that were there, and are not any more.
    static func areGone(_ schema: String) -> String {
        "The tables of the record in the schema \(schema) were removed, and no new record is begun in their place. Restore them from a "
            + "dump; to begin a new record, start the coordinators again."
    }

    /// The statements that make the tables in an empty schema.
    static func statements(schema: String) throws(SQLError) -> [String] {
        var statements = ["CREATE SCHEMA IF NOT EXISTS \(schema)"] + functions + own
        for statement in Schema.statements(of: Schema.current.tables) {
            if statement.hasPrefix("CREATE TABLE ") {
                statements.append(table(statement))
            } else if statement.contains("'identity'") {
                statements.append(identity)
            } else {
                // The priority is a number in JSON, which has another type here than a column; and a question in another has a name.
                let priority = "json_extract(e.settings, '$.priority')"
                let text = statement.replacing(priority, with: "CAST(\(priority) AS bigint)")
                    .replacing(") ORDER BY time", with: ") AS happened ORDER BY time")
                statements.append(try PostgreSQLDialect.translate(text).text)
            }
        }
        return statements
    }

    /// The statement that makes a table, translated from that for SQLite.
    private static func table(_ statement: String) -> String {
        let end = statement.lastIndex(of: ")").map { statement.index(after: $0) } ?? statement.endIndex
        var text = ""
        for token in SQLToken.tokens(of: String(statement[..<end])) {
            switch token.text {
            case "INTEGER": text += ColumnType.integer.name
            // SQLite compares texts by their bytes.
            case "TEXT": text += ColumnType.text.name + " COLLATE \"C\""
            case "BLOB", "ANY": text += ColumnType.bytes.name
            default: text += PostgreSQLDialect.quoted(String(token.text))
            }
        }
        // With room beside them, rows that change need no new entries in the indexes.
        return statement.hasPrefix("CREATE TABLE operations (") ? text + " WITH (fillfactor = 50)" : text
    }

    /// What a record on a server has besides: who leads, and who stands by.
    private static let own = [
        """
        CREATE TABLE leader (
            one boolean PRIMARY KEY DEFAULT true CHECK (one), epoch bigint NOT NULL, commits bigint NOT NULL, record text NOT NULL,
            timeline bigint NOT NULL, system text NOT NULL, address text, host text, since bigint, key text, web text,
            version bigint NOT NULL
        )
        """,
        keyTable,
        "CREATE TABLE standbys (address text PRIMARY KEY, host text, since bigint, seen bigint, key text)",
        """
        INSERT INTO leader (epoch, commits, record, timeline, system, version)
        SELECT 0, 0, gen_random_uuid()::text, ('x' || substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8))::bit(32)::bigint,
            system_identifier::text, \(Schema.current.version) FROM pg_control_system()
        """,
    ]

    private static let keyTable = """
        CREATE TABLE key_table (
            one boolean PRIMARY KEY DEFAULT true CHECK (one), version bigint NOT NULL, sealed text NOT NULL
        )
        """

    /// Draws the random number by which a record is known, of the same size as in a file.
    private static let identity = """
        INSERT INTO meta (key, value)
        SELECT 'identity', ('x' || substr(replace(gen_random_uuid()::text, '-', ''), 17, 16))::bit(64)::bigint
            & 4611686018427387903 | 4611686018427387904
        """

    /// Functions that SQLite has, as far as statements, indexes and views use them.
    ///
    /// The functions of two numbers stand beside the aggregates of the same names. As in SQLite, their result is NULL if an argument is
    /// NULL.
    private static let functions = [
        function("max(bigint, bigint) RETURNS bigint", "SELECT greatest($1, $2)"),
        function("min(bigint, bigint) RETURNS bigint", "SELECT least($1, $2)"),
        function("instr(text, text) RETURNS integer", "SELECT strpos($1, $2)"),
        function(
            "json_extract(text, text) RETURNS text",
            "SELECT jsonb_path_query_first($1::jsonb, $2::jsonpath) #>> '{}'"
        ),
        function("hex(bytea) RETURNS text", "SELECT upper(encode($1, 'hex'))"),
        // Of the views: a moment in the seconds since 1970, and the permissions of a file.
        function(
            "strftime(text, numeric, text) RETURNS text",
            "SELECT to_char(to_timestamp($2) AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS.MS\"Z\"')"
        ),
        function(
            "printf(text, bigint) RETURNS text",
            "SELECT concat(($2 >> 9) & 7, ($2 >> 6) & 7, ($2 >> 3) & 7, $2 & 7)"
        ),
    ]

    private static func function(_ head: String, _ body: String) -> String {
        // to_char and concat go by settings of the session in other uses, and are therefore not immutable.
        let isOfViews = head.hasPrefix("strftime") || head.hasPrefix("printf")
        let volatility = isOfViews ? "STABLE" : "IMMUTABLE"
        return "CREATE FUNCTION \(head) LANGUAGE sql \(volatility) STRICT PARALLEL SAFE AS $body$\(body)$body$"
    }
}
