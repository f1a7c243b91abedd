extension StoreError {
    /// Describes an error of a record on a server; no sentence has a password.
    init(_ error: SQLError, server: RecordServer) {
        let record = server.description
        let message = server.withoutPassword(error.message)
        switch error.code.primary {
        case .library:
            self.init(
                .library,
                "The library libpq.so.5, which a record on PostgreSQL needs, cannot be loaded: \(message). Install libpq5 (Debian, "
                    + "Ubuntu) or libpq (others), version 14 or later."
            )
        case .unreachable:
            self = .unreachable(record, message)
        case .deposed:
            self = .deposed(record, by: nil)
        case .wentBack:
            self.init(
                .deposed,
                "\(message) This coordinator stops; start it again to go on with what the record \(record) has."
            )
        case .led:
            self.init(.inUse, message)
        case .foreign:
            self.init(.unreadable, message)
        case .unsuitable:
            self.init(
                .notAccessible,
                "The record \(record) cannot be kept: \(message). Name a server of PostgreSQL itself that keeps what it acknowledges."
            )
        case .permission, .readOnly, .cannotOpen:
            self.init(
                .notAccessible,
                "The record \(record) cannot be opened or written: \(message). Check the address, the role, its password and its rights."
            )
        case .full:
            self.init(
                .full,
                "The server of the record \(record) has no room left: \(message). Make room there.",
                mayPass: true
            )
        case .noMemory, .inputOutput:
            self.init(
                .notAccessible,
                "The server of the record \(record) failed: \(message). Try again once the cause is gone.",
                mayPass: true
            )
        case .busy, .locked:
            self.init(
                .locked,
                "The record \(record) is locked, or somebody ended the statement: \(message). End transactions of other programs.",
                mayPass: true
            )
        case .corrupt, .notADatabase:
            self.init(
                .unreadable,
                "The record \(record) cannot be read as one of Baton: \(message). Restore it from a dump, or use the version that wrote it."
            )
        default:
            self.init(.other, "The record \(record) failed: \(message).")
        }
    }
}

@_spi(Baton) extension StoreError.Code {
    /// The library that a record on a server needs is not there, or too old.
    public static let library = StoreError.Code(rawValue: "library")
}
