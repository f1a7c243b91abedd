@_spi(Baton) import BatonArguments
@_spi(Baton) import BatonOperations

/// Files with environment variables, one `NAME=VALUE` a line.
///
/// Empty lines and lines that begin with `#` are skipped. A value is everything after the first `=`, with quotes and spaces as they
/// stand, as in files for the option of the same name of containers' tools.
enum EnvironmentFile {
    /// The variables of some files; the same name in a later line or file takes precedence.
    ///
    /// - Throws: ``CommandFailure`` for a file that cannot be read, and for a line of another form.
    static func variables(in paths: [String]) throws(CommandFailure) -> [String: String] {
        var variables: [String: String] = [:]
        for path in paths {
            for (number, line) in try InputFile.lines(of: path).enumerated() {
                guard !line.isEmpty, !line.hasPrefix("#") else { continue }
                func failure(_ finding: String) -> CommandFailure {
                    let sentence = "\(InputFile.name(path)) has \(finding) in line \(number + 1): write NAME=VALUE."
                    return CommandFailure(ExitStatus.refusedInput, code: "invalid", sentence)
                }
                guard let variable = variable(line) else { throw failure("no variable") }
                if let obstacle = VariableName.obstacle(in: variable.name) {
                    throw failure("\(obstacle) in the name \"\(variable.name.asShown)\"")
                }
                if hasQuotes(variable.value) {
                    Output.note(
                        "\(InputFile.name(path)) has quotes around the value of \(variable.name.asShown) in line \(number + 1); "
                            + "they are part of the value."
                    )
                }
                variables[variable.name] = variable.value
            }
        }
        return variables
    }

    private static func hasQuotes(_ value: String) -> Bool {
        value.count > 1 && value.first == value.last && (value.first == "\"" || value.first == "'")
    }

    /// Reads `NAME=VALUE`; nil for a text without a name or without `=`.
    static func variable(_ text: String) -> (name: String, value: String)? {
        guard let equals = text.firstIndex(of: "="), equals != text.startIndex else { return nil }
        return (String(text[..<equals]), String(text[text.index(after: equals)...]))
    }
}
