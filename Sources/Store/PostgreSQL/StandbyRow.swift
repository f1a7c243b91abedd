@_spi(Baton) import BatonOperations

/// The row of a coordinator that stands by, in the table `standbys`.
///
/// The row is for people only, and is written without the fence: no decision depends on the row. All times are times of the server.
struct StandbyRow {
    /// The address of the coordinator, for people.
    var address: String
    /// The name of its host, for people.
    var host: String
    /// The fingerprint of its key; nil without one.
    var key: String?

    /// How long a coordinator counts as present after its last sign of life, in microseconds.
    private static let shownFor: Int64 = 15_000_000

    /// The present moment of the server, in microseconds since 1970.
    private static let now = "(extract(epoch FROM clock_timestamp()) * 1000000)::bigint"

    /// Gives a sign of life.
    ///
    /// The commit does not wait for a replica, which may be gone: the loss of a sign does no harm.
    ///
    /// - Parameter isFirst: whether the coordinator begins to stand by with this sign.
    func sign(_ connection: ServerConnection, isFirst: Bool) throws(SQLError) {
        var parameters = ServerParameters()
        try parameters.append(.text(Array(address.utf8)), as: .text)
        try parameters.append(.text(Array(host.utf8)), as: .text)
        try parameters.append(key.map { PostgreSQLValue.text(Array($0.utf8)) } ?? .null, as: .text)
        try Self.write(
            """
            INSERT INTO standbys (address, host, since, seen, key) VALUES ($1, $2, \(Self.now), \(Self.now), $3)
            ON CONFLICT (address) DO UPDATE SET host = excluded.host, seen = excluded.seen, key = excluded.key,
                since = \(isFirst ? "excluded.since" : "standbys.since")
            """,
            parameters,
            [.text, .text, .text],
            connection
        )
    }

    /// Deletes the row, and the rows of coordinators without a sign of life for a day.
    func remove(_ connection: ServerConnection) throws(SQLError) {
        var parameters = ServerParameters()
        try parameters.append(.text(Array(address.utf8)), as: .text)
        try Self.write(
            "DELETE FROM standbys WHERE address = $1 OR seen < \(Self.now) - 86400000000",
            parameters,
            [.text],
            connection
        )
    }

    private static func write(
        _ text: String,
        _ parameters: ServerParameters,
        _ types: [ColumnType],
        _ connection: ServerConnection
    ) throws(SQLError) {
        do throws(SQLError) {
            let pipeline = try connection.open()
            try pipeline.send("BEGIN")
            try pipeline.send("SET LOCAL synchronous_commit = off")
            try pipeline.send(text, parameters, types)
            try pipeline.send("COMMIT")
            _ = try connection.synchronize()
        } catch {
            connection.rollBack()
            throw error
        }
    }

    /// The coordinators that stand by now, in the order of their addresses.
    static func all(_ connection: ServerConnection) throws(SQLError) -> [StandbyNotice] {
        let rows = try connection.rows(
            "SELECT address, host, since, key FROM standbys WHERE seen > \(now) - $1 ORDER BY address",
            shownFor
        )
        func text(_ row: Int32, _ column: Int32) -> String? {
            rows.isNull(row, column)
                ? nil : rows.withBytes(row, column) { String(decoding: $0, as: UTF8.self) }
        }
        return (0..<rows.count).compactMap { row in
            guard let address = text(row, 0) else { return nil }
            return StandbyNotice(
                address: address,
                host: text(row, 1) ?? "",
                since: Timestamp(rawValue: rows.number(row, 2) ?? 0),
                key: text(row, 3)
            )
        }
    }
}
