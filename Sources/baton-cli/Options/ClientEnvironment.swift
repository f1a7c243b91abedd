@_spi(Baton) import BatonArguments
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonProcesses

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// The variables of this process, which operations get with `--env NAME` and `--env-all`.
enum ClientEnvironment {
    /// The prefix of Baton's own variables, which the worker sets for each operation.
    private static let ownPrefix = "BATON_"

    /// The value of a variable.
    ///
    /// - Throws: `ValidationError` for a variable that is not set, and for bytes that are no text.
    static func value(of name: String) throws(ValidationError) -> String {
        guard !name.isEmpty, let bytes = getenv(name) else {
            throw ValidationError(
                name.isEmpty
                    ? "Please provide a variable, such as LANG=C, or LANG for its value here."
                    : "The environment variable \(name.asShown) is not set here. Set it, or give its value with \(name.asShown)=VALUE."
            )
        }
        guard let value = String(validatingCString: bytes) else { throw notUTF8(name) }
        return value
    }

    /// All variables except Baton's own and those of the shell, which belong to the calling process.
    ///
    /// A variable whose bytes are no text, or whose name is none that a submission may have, is left out.
    ///
    /// - Parameter tellsOmissions: whether a note on standard error says what is left out.
    static func all(tellsOmissions: Bool = true) -> [String: String] {
        all(
            of: Surroundings.environment.keys,
            without: Surroundings.variable(LineServer.variable),
            text: { (name: String) -> String? in getenv(name).flatMap { String(validatingCString: $0) } },
            onOmission: { (_: String, sentence: String) in if tellsOmissions { Output.note(sentence) } }
        )
    }

    /// The same for any environment.
    ///
    /// - Parameters:
    ///   - names: the names of the variables.
    ///   - socket: the path of the socket of a `with-job` above, whose directory is left out of `PATH`; nil for none.
    ///   - text: the value of a variable; nil for one that is no text.
    ///   - onOmission: takes the name of each variable that is left out, and the sentence that says so.
    static func all(
        of names: some Collection<String>,
        without socket: String?,
        text: (String) -> String?,
        onOmission: (_ name: String, _ sentence: String) -> Void
    ) -> [String: String] {
        var variables: [String: String] = [:]
        for name in names.sorted()
        where !name.hasPrefix(ownPrefix) && !ProcessEnvironment.shellNames.contains(name) {
            let omission: String
            if let obstacle = VariableName.obstacle(in: name) {
                omission = "\"\(name.asShown)\" has \(obstacle) in its name"
            } else if let value = text(name) {
                variables[name] = value
                continue
            } else {
                omission = "\(name.asShown) is not valid UTF-8"
            }
            onOmission(name, "The environment variable \(omission), and is left out.")
        }
        if let socket, let places = variables["PATH"] {
            variables["PATH"] = LineServer.places(in: places, without: socket)
        }
        return variables
    }

    /// Refuses a variable whose bytes are no text.
    static func notUTF8(_ name: String) -> ValidationError {
        ValidationError(
            "The environment variable \(name.asShown) is not valid UTF-8, and cannot be passed on unchanged. Unset it, or change it."
        )
    }
}
