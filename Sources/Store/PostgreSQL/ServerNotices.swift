import CBatonPostgreSQL

/// The warnings that a server has sent beside its answers.
///
/// A server that gives up waiting for its replica answers a commit with success and a warning.
final class ServerNotices {
    /// The first warning since the last look; nil for none.
    var warning: String?

    /// Notes a message of a server, which libpq passes on; anything less than a warning is no news.
    ///
    /// - Parameter context: the notices, which live as long as the connection.
    static func note(_ result: OpaquePointer?, in context: UnsafeMutableRawPointer?) {
        guard let context, let library = try? PostgreSQLLibrary.load() else { return }
        let notices = Unmanaged<ServerNotices>.fromOpaque(context).takeUnretainedValue()
        let severity = library.pointee.resultErrorField(result, Int32(CPOSTGRESQL_SEVERITY)).map { String(cString: $0) }
        guard severity == "WARNING", notices.warning == nil else { return }
        let text = library.pointee.resultErrorField(result, Int32(CPOSTGRESQL_MESSAGE)).map { String(cString: $0) }
        notices.warning = text ?? ""
    }
}
