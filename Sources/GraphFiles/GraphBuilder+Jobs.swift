@_spi(Baton) import BatonJSON
@_spi(Baton) import BatonOperations

/// The keys about the job as a whole.
extension GraphBuilder {
    /// Reads the value of `maxFailures`.
    mutating func readMaxFailures(at node: Int) throws(GraphFileError) {
        let expected = "a whole number from 1"
        settings.maxFailures = UInt32(try integer(at: node, expected, in: 1...Int(UInt32.max)))
    }

    /// Reads the value of `filesLimit`.
    mutating func readFilesLimit(at node: Int) throws(GraphFileError) {
        let expected = JobSettings.filesLimitForms
        let number: Int64?
        let bytes: Int64?
        if tree.nodes[node].kind == .number {
            number = Int64(try integer(at: node, expected, in: 1...Int(ByteSize.maximum)))
            bytes = number
        } else {
            let text = try string(at: node, ByteSize.forms)
            number = Int64(text)
            bytes = ByteSize.value(of: text)
        }
        if let number, let objection = ByteSize.objection(toNumber: number, from: 1) {
            throw error(objection, at: node)
        }
        guard let bytes, JobSettings.filesLimits.contains(bytes) else { throw error("expected \(expected)", at: node) }
        settings.filesLimit = bytes
    }

    /// Reads the value of `tags`.
    mutating func readTags(at node: Int) throws(GraphFileError) {
        guard tree.nodes[node].kind == .object else { throw wrongType("an object with texts, in quotes", at: node) }
        for member in tree.keys(of: node) {
            let tag = JobTag(key: try nameText(at: member), value: try nameText(at: member + 1))
            if let objection = tag.objection { throw error("\(objection)", at: member) }
            settings.tags[tag.key] = tag.value
        }
    }

    /// Reads the value of `send`: files and directories of whoever reads the file.
    mutating func readSentPaths(at node: Int) throws(GraphFileError) {
        guard options.sendsFiles else {
            throw error(
                "\"send\" names files of the submitter, and no files can be sent here; submit the graph with \"baton submit\" or "
                    + "\"baton run\", or leave \"send\" out",
                at: node
            )
        }
        let paths = try strings(at: node, "an array of paths")
        guard !paths.isEmpty, paths.allSatisfy({ !$0.isEmpty && !$0.utf8.contains(0) }) else {
            throw error("\"send\" has no path, or an empty one; name files or directories", at: node)
        }
        sentPaths += paths
        sentPosition = textPosition(of: node)
    }

    /// Reads the value of `hooks`; the settings of the file's `defaults` come later.
    mutating func readHooks(at node: Int) throws(GraphFileError) {
        guard tree.nodes[node].kind == .object else {
            throw wrongType("an object with commands for \"finish\", \"success\" or \"failure\"", at: node)
        }
        var hooks = JobHooks([:])
        for member in tree.keys(of: node) {
            let key: HookKey = try key(at: member)
            let value = member + 1
            switch key {
            case .finish: hooks.commands[.finish] = try command(at: value)
            case .success: hooks.commands[.success] = try command(at: value)
            case .failure: hooks.commands[.failure] = try command(at: value)
            case .cwd: hooks.directory = try path(at: value, as: .directory)
            case .timeout: hooks.timeout = try timeout(at: value)
            case .env: hooks.environment = try variables(at: value, adding: [:])
            }
        }
        guard !hooks.commands.isEmpty else {
            throw error("\"hooks\" has no command; give one for \"finish\", \"success\" or \"failure\"", at: node)
        }
        settings.hooks = hooks
    }

    /// The settings of the job, with those of the command line, and with the defaults for the hooks.
    var wholeSettings: JobSettings {
        var settings = settings
        if let most = options.additions.maxFailures { settings.maxFailures = most }
        if options.additions.cancelRunning { settings.cancelRunning = true }
        if let deadline = options.additions.deadline { settings.deadline = deadline }
        if let keepFiles = options.additions.keepFiles { settings.keepFiles = keepFiles }
        if let filesLimit = options.additions.filesLimit { settings.filesLimit = filesLimit }
        settings.tags.merge(options.additions.tags) { $1 }
        if var hooks = settings.hooks {
            let work = defaults.template.work
            hooks.environment = work.environment.merging(hooks.environment) { $1 }
            hooks.directory = hooks.directory ?? work.directory
            hooks.timeout = hooks.timeout ?? work.timeout
            settings.hooks = hooks
        }
        return settings
    }
}
