@_spi(Baton) import BatonArguments
@_spi(Baton) import BatonGraphFiles
@_spi(Baton) import BatonOperations

extension OperationOptions {
    /// The submission from the options.
    ///
    /// - Throws: ``CommandFailure`` for unreadable files, `GraphFileError` for an invalid graph.
    func submission() throws -> Submission {
        var submission = try file.map(graph(in:)) ?? single()
        if let key { submission.key = key }
        return submission
    }

    /// Whether the submission is a single operation, so that its output stands for the whole job.
    var isSingle: Bool { file == nil && arraySources.isEmpty }

    private func single() throws -> Submission {
        var template = Template(work: Work(.commands([command]), directory: try Surroundings.currentDirectory()))
        var entry = Entry(name: name, dependencies: dependencies)
        if !arraySources.isEmpty {
            let sources = try arraySources.compactMap { try ArrayOption(rawValue: $0.name)?.source($0.text) }
            let elements = try ArraySource.elements(of: sources)
            entry.array = elements.values
            template.work.columns = elements.columns
        }
        for option in OperationOption.onCommandLine where option.key != "stdin" || !sendsStandardInput {
            guard let value = try option.value(of: settings[option.name]) else { continue }
            guard option.set(value, in: &template, &entry) else {
                throw CommandFailure(
                    ExitStatus.refusedInput,
                    code: "invalid",
                    "The value of --\(option.name) is not allowed."
                )
            }
        }
        let variables = try (envAll ? ClientEnvironment.all() : [:]).merging(EnvironmentFile.variables(in: envFile)) {
            $1
        }
        template.work.environment = variables.merging(template.work.environment) { $1 }
        if entry.array != nil, let line = template.shellHook {
            template.onFinish = ShellLine.words(line, columns: template.work.columns)
        }
        // Last, so that nobody types a long text for options that are refused.
        if sendsStandardInput { template.work.input = try Self.standardInput() }
        return Submission(
            name: name,
            queueNames: [queue ?? Submission.defaultQueue],
            templates: [template],
            entries: [entry]
        )
    }

    /// The bytes of standard input, to their end.
    private static func standardInput() throws(CommandFailure) -> [UInt8] {
        do throws(CommandFailure) {
            return try InputFile.bytes(of: "-", atMost: Work.maximumInputLength)
        } catch {
            guard error.code == "tooLarge" else { throw error }
            var failure = error
            failure.advice = "Write it to a file that the workers can read, and give --stdin the file."
            throw failure
        }
    }

    private var dependencies: [Dependency] {
        after.map { Dependency(on: .existing($0), condition: .any) }
            + needs.map { Dependency(on: .existing($0), condition: .success) }
            + onFailure.map { Dependency(on: .existing($0), condition: .failure) }
    }

    private func graph(in file: String) throws -> Submission {
        let options = GraphFileOptions(
            fileName: file == "-" ? "standard input" : file,
            directory: try Surroundings.currentDirectory(),
            readLines: { (path) throws(Refusal) in
                do throws(CommandFailure) {
                    return try InputFile.lines(of: path)
                } catch {
                    throw Refusal(.invalid, error.message)
                }
            }
        )
        if file == "-" {
            let text = try InputFile.bytes(of: file)
            guard Self.isOneOperationALine(text) else {
                return try GraphFile.submission(from: text, options: options)
            }
            var reader = GraphLinesReader(options: options)
            try reader.read(text)
            return try reader.finish()
        }
        guard file.hasSuffix(".jsonl") else {
            return try GraphFile.submission(from: InputFile.bytes(of: file), options: options)
        }
        var reader = GraphLinesReader(options: options, length: InputFile.length(of: file))
        try InputFile.forEachPiece(of: file) { (piece) throws(CommandFailure) in
            do throws(GraphFileError) {
                try reader.read(piece)
            } catch {
                throw CommandFailure(error.refusal)
            }
        }
        return try reader.finish()
    }

    /// Whether a text on standard input has one operation per line, because no file name tells the form.
    ///
    /// The first line must be an object from `{` to `}`, and either be followed by further text or not contain the word
    /// `operations`.
    static func isOneOperationALine(_ text: [UInt8]) -> Bool {
        let lines = text.split(separator: UInt8(ascii: "\n"), maxSplits: 1).map { line in
            String(decoding: line, as: UTF8.self).trimmingSpaces
        }
        guard let first = lines.first, first.hasPrefix("{"), first.hasSuffix("}") else { return false }
        return !first.contains("operations") || (lines.count > 1 && !lines[1].isEmpty)
    }
}

extension String {
    /// The text without white space at its ends.
    fileprivate var trimmingSpaces: String {
        let start = drop(while: \.isWhitespace)
        guard let last = start.lastIndex(where: { !$0.isWhitespace }) else { return "" }
        return String(start[...last])
    }
}
