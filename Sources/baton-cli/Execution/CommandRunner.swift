@_spi(Baton) import BatonArguments

/// Executes a command line: parses and runs the command, and converts errors to a sentence and an exit status.
enum CommandRunner {
    /// Runs the command named by the arguments, and returns how the process is to end.
    ///
    /// An argument in invalid UTF-8 is refused, because a command would receive a different text.
    static func run(bytes arguments: [[UInt8]]) async -> CommandEnd {
        var texts: [String] = []
        for argument in arguments {
            guard let text = String(validating: argument, as: UTF8.self) else {
                let readable = String(decoding: argument, as: UTF8.self)
                let failure = CommandFailure(
                    ExitStatus.usage,
                    code: "invalidValue",
                    "The argument '\(readable)' is not valid UTF-8, and cannot be passed on unchanged.",
                    advice: "Put it into a script, and submit the script."
                )
                Output.note(texts.contains("--json") ? failure.json : "Error: \(failure.text)")
                return .status(failure.status)
            }
            texts.append(text)
        }
        return await run(texts)
    }

    /// Runs the command named by the arguments, and returns how the process is to end.
    static func run(_ arguments: [String]) async -> CommandEnd {
        let isJSON = arguments.prefix { $0 != "--" }.contains("--json")
        do {
            switch BatonCommand.outcome(of: arguments) {
            case .command(let command): try await command.run()
            case .help(let page):
                try Output.line(page.rendered(width: Terminal.isStandardOutput ? min(Terminal.width, 120) : 100))
            case .version(let version): try Output.line(version)
            case .failure(let error):
                if isJSON { Output.note(CommandFailure(error).json) } else { Output.notes(error.description) }
                return .status(ExitStatus.usage)
            }
            return .status(ExitStatus.success)
        } catch {
            return end(after: error, isJSON: isJSON)
        }
    }

    /// Tells the user of the error that ends a command, if it has a message, and returns how the command ends.
    static func end(after error: any Error, isJSON: Bool) -> CommandEnd {
        if let exit = error as? QuietExit { return exit.end }
        let failure = CommandFailure(error)
        Output.note(isJSON ? failure.json : "Error: \(failure.text)")
        return failure.signal.map(CommandEnd.signal) ?? .status(failure.status)
    }
}

extension CommandFailure {
    /// Converts a usage error.
    init(_ error: UsageError) {
        self.init(
            ExitStatus.usage,
            code: error.code.rawValue,
            error.message,
            advice: "See '\(error.helpCall)' for more information."
        )
    }
}
