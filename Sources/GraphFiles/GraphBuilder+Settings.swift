@_spi(Baton) import BatonJSON
@_spi(Baton) import BatonOperations

extension GraphBuilder {
    /// Reads the value of `defaults`.
    mutating func readDefaults(at node: Int) throws(GraphFileError) {
        guard tree.nodes[node].kind == .object else { throw wrongType("an object", at: node) }
        var beginMember: Int?
        for member in tree.keys(of: node) {
            let key: OperationKey = try key(at: member, allowed: \.mayBeDefault)
            if key == .fixed(.begin) {
                beginMember = member
            } else {
                try readSetting(key, at: member + 1, into: &defaults, of: .defaults)
            }
        }
        if let beginMember, try setsDelay(begin: beginMember, in: node) {
            try readSetting(.fixed(.begin), at: beginMember + 1, into: &defaults, of: .defaults)
        }
    }

    /// Reads one setting of an operation; the first setting starts from the defaults.
    func readSetting(
        _ key: OperationKey,
        at node: Int,
        changing settings: inout OperationSettings?
    ) throws(GraphFileError) {
        var changed = settings ?? defaults
        try readSetting(key, at: node, into: &changed, of: .operation)
        settings = changed
    }

    /// A program with its options, as an array of strings or with spaces between them.
    private func shell(at node: Int) throws(GraphFileError) -> CommandShell {
        let expected = "a shell with its options, such as \"bash -euo pipefail -c\""
        let isList = tree.nodes[node].kind == .array
        let words = try isList ? strings(at: node, expected) : [string(at: node, expected)]
        do throws(Refusal) {
            return try isList ? CommandShell(words: words) : CommandShell(words[0])
        } catch {
            throw self.error(error.message, at: node)
        }
    }

    /// Reads the queue, the begin, the shell or an option, in an operation or in `defaults`.
    private func readSetting(
        _ key: OperationKey,
        at node: Int,
        into settings: inout OperationSettings,
        of origin: OperationSettings.Origin
    ) throws(GraphFileError) {
        guard case .option(let position) = key else {
            if key == .fixed(.begin) {
                settings.entry.delay = try begin(at: node)
            } else if key == .fixed(.shell) {
                settings.shell = try tree.nodes[node].kind == .null ? nil : shell(at: node)
            } else {
                settings.queue = try name(at: node, of: "queue")
            }
            return
        }
        let option = OperationOption.all[position]
        if option.form.allowsRanges, let end = option.rangeEnd {
            let range = try range(of: option, at: node)
            end.set(range?.last, in: &settings.template, &settings.entry)
            if let range {
                option.set(range.first, in: &settings.template, &settings.entry)
                return
            }
        }
        var value: OptionValue?
        if tree.nodes[node].kind == .null, option.defaultValue == nil {
            let initial = OperationSettings(directory: options.directory)
            value = option.value(in: initial.template, initial.entry)
        } else {
            let present = option.value(in: settings.template, settings.entry)
            value = try self.value(of: option, at: node, adding: present)
        }
        // Null stands for the directory of the reader.
        settings.note(option, by: option.form == .directory && tree.nodes[node].kind == .null ? .reader : origin)
        guard option.set(value, in: &settings.template, &settings.entry) else {
            throw error("the \(option.noun) has a value that is not allowed", at: node)
        }
    }

    /// Reads the value of `queues`.
    mutating func readQueues(at node: Int) throws(GraphFileError) {
        guard tree.nodes[node].kind == .object else {
            throw wrongType("an object with a member for each queue", at: node)
        }
        for queue in tree.keys(of: node) {
            var change = QueueChange(name: try name(at: queue, of: "queue"))
            guard tree.nodes[queue + 1].kind == .object else { throw wrongType("an object", at: queue + 1) }
            for member in tree.keys(of: queue + 1) {
                let key: QueueKey = try key(at: member)
                switch key {
                case .maxConcurrent:
                    let expected = "a whole number from 0, or -1 for no limit"
                    let limit = try integer(at: member + 1, expected, in: -1...Int(Int32.max))
                    change.maxConcurrent = limit < 0 ? .unlimited : .atMost(limit)
                case .qos:
                    change.qualityOfService = try qualityOfService(at: member + 1)
                case .total:
                    let expected = "a whole number from 1, or 0 for no progress"
                    change.total = try integer(at: member + 1, expected, in: 0...Int(Int32.max))
                case .rate:
                    let expected = "\(StartRate.forms), or \"\(QueueChange.Rate.unlimitedWord)\", in quotes"
                    let text = try string(at: member + 1, expected)
                    guard let rate = QueueChange.Rate(text) else { throw error("expected \(expected)", at: member + 1) }
                    change.startRate = rate
                }
            }
            queueChanges.append(change)
        }
    }

    /// Reads the value of an option.
    ///
    /// - Parameter present: the value so far; the members of an object are added to it, other values replace the value.
    private func value(
        of option: OperationOption,
        at node: Int,
        adding present: OptionValue?
    ) throws(GraphFileError) -> OptionValue {
        switch option.form {
        case .flag: return .flag(try truth(at: node))
        case .number(let range):
            let expected = OptionForm.text(of: range)
            return .number(Int64(try integer(at: node, expected, in: Int(range.lowerBound)...Int(range.upperBound))))
        case .word(let words):
            return .text(try word(at: node, option.noun, among: words) { words.contains($0) ? $0 : nil })
        case .priority: return .number(Int64(try priority(at: node).rawValue))
        case .duration: return .duration(try duration(at: node))
        case .timeLimit: return .duration(try timeout(at: node))
        case .deadline: return .duration(try deadline(at: node))
        case .durationOrForever:
            if tree.nodes[node].kind == .string, try string(at: node) == OptionValue.foreverWord { return .forever }
            return .duration(try duration(at: node, or: ", or \"\(OptionValue.foreverWord)\""))
        case .directory: return .text(try path(at: node, as: .directory))
        case .file:
            if tree.nodes[node].kind == .string, try string(at: node) == "-" {
                throw error(
                    "an operation of a graph has no standard input of yours; give a file, or a text in \"input\"",
                    at: node
                )
            }
            return .text(try path(at: node, as: .file))
        case .outputFile:
            let text = try string(at: node, "a path, in quotes")
            let (form, path) = (option.form, OptionValue.text(text))
            if let objection = form.objection(toSubmitted: path) {
                throw error("the \(option.noun) \(objection)", at: node)
            }
            return .text(text)
        case .mask:
            let expected = "\(FileMask.form), in quotes"
            let text = try string(at: node, expected)
            guard let mask = FileMask(text) else { throw error("expected \(expected)", at: node) }
            return .text(mask.description)
        case .data: return .data(Array(try string(at: node, "a text for standard input, in quotes").utf8))
        case .columns: return .texts(try strings(at: node, "an array of names, in quotes"))
        case .command: return .texts(try command(at: node))
        case .variables:
            var before: [String: String] = [:]
            if case .variables(let variables)? = present { before = variables }
            return .variables(try variables(at: node, adding: before))
        case .processors: return .thousandths(try processors(at: node))
        case .size: return .bytes(try size(at: node))
        case .amounts:
            var before: [String: Int64] = [:]
            if case .amounts(let amounts)? = present { before = amounts }
            return .amounts(try amounts(at: node, adding: before))
        case .patterns:
            let patterns = try strings(at: node, "an array of patterns, in quotes")
            if let objection = option.form.objection(to: .texts(patterns)) {
                throw error("the \(option.noun) \(objection)", at: node)
            }
            return .texts(patterns)
        case .picks:
            var before: [String: String] = [:]
            if case .places(let places)? = present { before = places }
            return .places(try places(at: node, of: option, adding: before))
        case .conditions: return .texts(try conditions(at: node))
        case .ends, .statuses: return .texts(try ends(at: node, option))
        }
    }

    private func priority(at node: Int) throws(GraphFileError) -> Priority {
        guard tree.nodes[node].kind == .number else {
            return try word(
                at: node,
                "priority",
                among: Priority.allCases.map(\.description) + ["a whole number"],
                read: Priority.init(_:)
            )
        }
        // The priority is clamped later, so a number beyond veryLow and veryHigh is valid (PR5).
        let number = tree.number(at: node)
        let clamped = max(-100, min(100, number))
        guard !number.isNaN, Double(Int(clamped)) == clamped else {
            throw error("a priority must be a whole number", at: node)
        }
        return Priority(clamping: Int(clamped))
    }

    private func qualityOfService(at node: Int) throws(GraphFileError) -> QualityOfService {
        try word(
            at: node,
            "quality of service",
            among: QualityOfService.allCases.map(\.description),
            read: QualityOfService.init(_:)
        )
    }

    /// Adds variables to the variables from `defaults`.
    func variables(
        at node: Int,
        adding present: [String: String]
    ) throws(GraphFileError) -> [String: String] {
        var variables = present
        guard tree.nodes[node].kind == .object else { throw wrongType("an object with strings", at: node) }
        for member in tree.keys(of: node) {
            let variable = try string(at: member)
            guard !variable.isEmpty, !variable.utf8.contains(UInt8(ascii: "=")) else {
                throw error("\"\(variable.asShown)\" is not a name for an environment variable", at: member)
            }
            if let obstacle = VariableName.obstacle(in: variable) {
                throw error(
                    "\"\(variable.asShown)\" has \(obstacle) in it and is not a name for an environment variable",
                    at: member
                )
            }
            variables[variable] = try string(at: member + 1, "a string in quotes")
        }
        return variables
    }

    /// Adds places of picked inputs to those from `defaults`.
    private func places(
        at node: Int,
        of option: OperationOption,
        adding present: [String: String]
    ) throws(GraphFileError) -> [String: String] {
        var places = present
        guard tree.nodes[node].kind == .object else {
            throw wrongType("an object with a place for each pattern", at: node)
        }
        for member in tree.keys(of: node) {
            let pattern = try string(at: member)
            places[pattern] = try string(at: member + 1, "a place, in quotes")
        }
        if let objection = option.form.objection(to: .places(places)) {
            throw error("the \(option.noun) \(objection)", at: node)
        }
        return places
    }
}
