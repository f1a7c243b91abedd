import CBatonPostgreSQL

/// A failure that a server reports of a statement.
struct ServerFailure {
    /// The five characters by which SQL knows the failure; empty if there is none.
    let state: String
    /// What the server says, in a line.
    let message: String
    /// Whether the connection ends with the failure.
    let isEnd: Bool

    /// Reads a failed answer of libpq.
    init(_ result: OpaquePointer, _ library: UnsafePointer<cpostgresql>) {
        func field(_ field: Int) -> String {
            library.pointee.resultErrorField(result, Int32(field)).map { String(cString: $0) } ?? ""
        }
        state = field(Int(CPOSTGRESQL_SQLSTATE))
        message = Self.line(field(Int(CPOSTGRESQL_MESSAGE)))
        let severity = field(Int(CPOSTGRESQL_SEVERITY))
        isEnd = severity == "FATAL" || severity == "PANIC"
    }

    /// A message of libpq, which may have several lines, in one.
    static func line(_ text: String) -> String {
        text.split { $0.isNewline }.map { line in
            String(line.drop { $0.isWhitespace })
        }.joined(separator: "; ")
    }

    /// Whether a failed connection was refused for who asks, so that a later one is refused, too.
    ///
    /// libpq tells the failure of a connection in words alone; these are parts of messages that are not translated, or of its own.
    static func isRefusal(_ message: String) -> Bool {
        ["password", "authentication", "no pg_hba.conf entry", "does not exist", "permission denied"].contains {
            message.contains($0)
        }
    }

    /// The failure as an error of the record.
    ///
    /// - Parameter isFence: whether the statement is the fence, whose division by zero says that another coordinator leads.
    func error(isFence: Bool) -> SQLError {
        if isFence, state == "22012" {
            return SQLError(.deposed, "another coordinator leads")
        }
        return SQLError(code, "\(message) (SQLSTATE \(state))")
    }

    /// What the failure would be of SQLite.
    private var code: ResultCode {
        switch state {
        // Disk full; a configured limit.
        case "53100", "53400": return .full
        case "53200": return .noMemory
        case "25006": return .unreachable
        case "42501": return .permission
        // Serialization, deadlock, a lock that is not available, a statement that was cancelled.
        case "40001", "40P01", "55P03", "57014": return .busy
        case "58030": return .inputOutput
        default: break
        }
        switch state.prefix(2) {
        case "08", "53", "57": return .unreachable
        case "22", "23": return .constraint
        case "28": return .permission
        case "XX": return .corrupt
        default: return .statement
        }
    }
}
