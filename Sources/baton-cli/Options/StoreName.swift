@_spi(Baton) import BatonCoordinator
@_spi(Baton) import BatonStore

/// The record that a command line or the environment names.
enum StoreName {
    /// The variable for the name of the record; the only one of the two places for a name with a password.
    static let variable = "BATON_STORE"

    /// How the help of an option says what else names the record.
    static let origins = "env: BATON_STORE; default: baton.db in the state directory"

    /// The record of a coordinator.
    ///
    /// - Parameter option: the value of `--store`; nil if it is not given.
    /// - Throws: ``CommandFailure`` for an invalid name, and for a password that other users could read.
    static func place(_ option: String?, _ global: GlobalOptions) throws(CommandFailure) -> RecordPlace {
        if let option { return try place(onCommandLine: option) }
        guard let text = try Surroundings.path(variable) else {
            return .file(try global.homeDirectory + "/baton.db")
        }
        return try read(text)
    }

    /// The record that a word of a command line names.
    ///
    /// - Throws: ``CommandFailure`` for an invalid name, and for any password, because other users can read a command line.
    static func place(onCommandLine text: String) throws(CommandFailure) -> RecordPlace {
        let place = try read(text)
        if case .server(let server) = place, server.password != nil || server.parameters["sslpassword"] != nil {
            throw CommandFailure(
                ExitStatus.usage,
                code: "invalidValue",
                "A password on the command line can be read by everybody on this host. Put it in PGPASSFILE, PGPASSWORD, or in "
                    + "BATON_STORE."
            )
        }
        return place
    }

    /// The record on a server, if the command line or the environment names one.
    ///
    /// - Parameter option: the value of `--store`; nil if it is not given.
    static func server(_ option: String?, _ global: GlobalOptions) throws(CommandFailure) -> RecordServer? {
        if option == nil, try Surroundings.path(variable) == nil { return nil }
        guard case .server(let server) = try place(option, global) else { return nil }
        return server
    }

    /// The file of a coordinator's record.
    ///
    /// - Parameters:
    ///   - option: the value of `--store`; nil if it is not given.
    ///   - objection: what to say of a record on a server, with which the command can do nothing.
    /// - Throws: ``CommandFailure`` for a record on a server, too.
    static func file(
        _ option: String?,
        _ global: GlobalOptions,
        otherwise objection: String
    ) throws(CommandFailure) -> String {
        switch try place(option, global) {
        case .file(let path): return path
        case .server:
            let origin = option == nil ? variable : "--store"
            throw CommandFailure(
                ExitStatus.usage,
                code: "invalidValue",
                "\(origin) names a record on a server: \(objection)"
            )
        }
    }

    /// What the names of a coordinator's own files on this host begin with: see ``CoordinatorOptions/ownFiles``.
    ///
    /// - Parameter option: the value of `--store`; nil if it is not given.
    static func ownFiles(_ option: String?, _ global: GlobalOptions) throws(CommandFailure) -> String {
        try place(option, global).ownFiles(in: try global.homeDirectory)
    }

    private static func read(_ text: String) throws(CommandFailure) -> RecordPlace {
        let place: RecordPlace
        do throws(StoreError) {
            place = try RecordPlace(text)
        } catch {
            throw CommandFailure(ExitStatus.usage, code: "invalidValue", error.message)
        }
        guard case .file(let path) = place else { return place }
        return .file(try Surroundings.absolutePath(path))
    }
}
