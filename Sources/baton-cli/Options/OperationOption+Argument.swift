@_spi(Baton) import BatonArguments
@_spi(Baton) import BatonOperations

/// The options of the table on the command line.
extension OperationOption {
    /// The declaration of the option.
    var declaration: DeclaredOptions.Declaration {
        DeclaredOptions.Declaration(
            name: name,
            help: ArgumentHelp(help, valueName: valueName.isEmpty ? nil : valueName),
            isFlag: form == .flag,
            isRepeating: form.isRepeating,
            allValues: form.words,
            completion: form.completion,
            check: { text in
                if self.isRange(text) { _ = try self.range(text) } else { _ = try self.form.value(ofArgument: text) }
            }
        )
    }

    /// Reads the texts given for the option; nil if the option was not given.
    ///
    /// - Throws: ``CommandFailure`` for a path without a current directory.
    func value(of texts: [String]?) throws -> OptionValue? {
        guard let texts else { return nil }
        var value: OptionValue?
        for text in texts {
            let next = try form.value(ofArgument: text)
            value = value.map { $0.adding(next) } ?? next
        }
        guard form == .directory || form == .file, case .text(let path)? = value else { return value }
        return .text(try Surroundings.absolutePath(path))
    }

    /// Reads the texts given for the option: its value, and with a range that of the option that has the end of the range.
    ///
    /// - Throws: as ``value(of:)``.
    func settings(of texts: [String]?) throws -> [(option: OperationOption, value: OptionValue)] {
        if let text = texts?.last, isRange(text), let end = rangeEnd {
            let range = try range(text)
            return [(self, range.first), (end, range.last)]
        }
        return try value(of: texts).map { [(self, $0)] } ?? []
    }

    /// Whether a text is meant as a range of the option's values.
    private func isRange(_ text: String) -> Bool { rangeEnd != nil && OptionRange.isRange(text) }

    private func range(_ text: String) throws(ValidationError) -> OptionRange {
        guard let range = OptionRange(text, form) else {
            throw ValidationError("Please provide \(OptionRange.expectation(of: form)).")
        }
        return range
    }
}

extension OptionValue {
    /// The value together with the value of a later argument of the same option; most options keep the later one alone.
    fileprivate func adding(_ later: OptionValue) -> OptionValue {
        switch (self, later) {
        case (.variables(let earlier), .variables(let later)): .variables(earlier.merging(later) { $1 })
        case (.places(let earlier), .places(let later)): .places(earlier.merging(later) { $1 })
        case (.amounts(let earlier), .amounts(let later)): .amounts(earlier.merging(later) { $1 })
        case (.texts(let earlier), .texts(let later)): .texts(earlier + later)
        default: later
        }
    }
}

extension OptionForm {
    /// Whether the option may be given several times.
    fileprivate var isRepeating: Bool {
        switch self {
        case .variables, .amounts, .conditions, .ends, .statuses, .patterns, .picks: true
        default: false
        }
    }

    /// The valid texts, if the set is small; otherwise empty.
    fileprivate var words: [String] {
        switch self {
        case .word(let words): words
        case .priority: Priority.allValueStrings
        default: []
        }
    }

    fileprivate var completion: CompletionKind {
        switch self {
        case .directory: .directory
        case .file, .outputFile, .patterns: .file()
        case .ends: .list(EndCondition.reasons.map(\.rawValue))
        default: words.isEmpty ? .none : .list(words)
        }
    }

    /// Reads a value in the notation of the command line.
    fileprivate func value(ofArgument text: String) throws(ValidationError) -> OptionValue {
        switch self {
        case .flag: return .flag(true)
        case .number(let range):
            guard let number = Int64(text, radix: 10), range.contains(number) else {
                throw ValidationError("Please provide \(Self.text(of: range)).")
            }
            return .number(number)
        case .word(let words):
            guard words.contains(text) else {
                throw ValidationError("Please provide one of \(Self.choice(of: words.map { "'\($0)'" })).")
            }
            return .text(text)
        case .priority:
            guard let priority = Priority(argument: text) else {
                throw ValidationError("Please provide \(Priority.expectation).")
            }
            return .number(Int64(priority.rawValue))
        case .duration: return .duration(try DurationOption.read(text))
        case .timeLimit: return .duration(try DurationOption.timeout(text))
        case .deadline: return .duration(try TimeOption.deadline(text))
        case .durationOrForever:
            if text == OptionValue.foreverWord { return .forever }
            guard let duration = Duration(text: text) else {
                throw ValidationError(
                    "Please provide a duration such as 250ms, 10s, 5m or 1h30m, of at most "
                        + "\(Duration.longestAllowedText), or forever."
                )
            }
            return .duration(duration)
        case .directory, .file, .outputFile:
            guard !text.isEmpty else { throw ValidationError("Please provide a path.") }
            // Before the path is made absolute.
            if let objection = objection(toSubmitted: .text(text)) { throw ValidationError("The path \(objection).") }
            return .text(text)
        case .mask:
            guard let mask = FileMask(text) else { throw ValidationError("Please provide \(FileMask.form).") }
            return .text(mask.description)
        case .columns: return .texts([text])
        case .data: return .data(Array(text.utf8))
        case .command: return .texts(["/bin/sh", "-c", text])
        case .variables:
            guard text.contains("=") else { return .variables([text: try ClientEnvironment.value(of: text)]) }
            guard let variable = EnvironmentFile.variable(text) else {
                throw ValidationError("Please provide a variable, such as LANG=C, or LANG for its value here.")
            }
            if let obstacle = VariableName.obstacle(in: variable.name) {
                throw ValidationError(
                    "\"\(variable.name.asShown)\" has \(obstacle) in it, and cannot be the name of an environment variable: write "
                        + "NAME=VALUE."
                )
            }
            return .variables([variable.name: variable.value])
        case .processors: return .thousandths(try ResourceArgument.processors(text, from: 0))
        case .size: return .bytes(try ResourceArgument.memory(text))
        case .amounts:
            let (name, amount) = try ResourceArgument.amount(text)
            return .amounts([name: amount])
        case .conditions:
            return .texts([try ResourceArgument.condition(text).description])
        case .patterns:
            if let objection = OutputPattern.objection(to: text) { throw ValidationError("The pattern \(objection).") }
            return .texts([text])
        case .picks:
            let (pattern, place) = try PickArgument.read(text)
            let value = OptionValue.places([pattern: place])
            if let objection = objection(to: value) { throw ValidationError("The list of picked inputs \(objection).") }
            return value
        case .ends, .statuses:
            let texts = text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
            if let objection = objection(to: .texts(texts)) { throw ValidationError("The list \(objection).") }
            return .texts(texts.compactMap { EndCondition($0)?.description })
        }
    }
}
