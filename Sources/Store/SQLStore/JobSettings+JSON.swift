@_spi(Baton) import BatonJSON
@_spi(Baton) import BatonOperations

/// What a submission says about its job, in the form of the job's `settings`: a JSON object with the keys of graph files.
extension JobSettings {
    /// The text in the column; nil for settings that say nothing.
    var recordText: String? {
        guard !isEmpty else { return nil }
        var members: [String: JSONValue] = [:]
        if let maxFailures { members["maxFailures"] = .integer(Int64(maxFailures)) }
        if cancelRunning { members["cancelRunning"] = .truth(true) }
        if let deadline { members["deadline"] = .integer(deadline.microseconds) }
        if let hooks { members["hooks"] = hooks.json }
        if !tags.isEmpty { members["tags"] = .object(tags.mapValues { .string($0) }) }
        if let reuse { members["reuse"] = .integer(Int64(reuse.rawValue)) }
        if let keepFiles { members["keepFiles"] = .integer(keepFiles.microseconds) }
        if let filesLimit { members["filesLimit"] = .integer(filesLimit) }
        return JSONValue.object(members).text
    }

    /// Reads the text in the column; nil for another text.
    init?(recordText text: String) {
        guard case .object(let members)? = JSONValue(text) else { return nil }
        self.init()
        switch members["maxFailures"] {
        case .integer(let number)?:
            guard let most = UInt32(exactly: number) else { return nil }
            maxFailures = most
        case nil: break
        default: return nil
        }
        switch members["cancelRunning"] {
        case .truth(let truth)?: cancelRunning = truth
        case nil: break
        default: return nil
        }
        if let member = members["deadline"] {
            guard case .integer(let microseconds) = member, microseconds > 0 else { return nil }
            deadline = .microseconds(microseconds)
        }
        if let member = members["hooks"] {
            guard let read = JobHooks(member) else { return nil }
            hooks = read
        }
        if let member = members["tags"] {
            guard case .object(let values) = member else { return nil }
            for (key, value) in values {
                guard case .string(let text) = value else { return nil }
                tags[key] = text
            }
        }
        if let member = members["reuse"] {
            guard case .integer(let number) = member, let job = UInt32(exactly: number) else { return nil }
            reuse = JobNumber(job)
        }
        if let member = members["keepFiles"] {
            guard case .integer(let microseconds) = member, microseconds >= 0 else { return nil }
            keepFiles = .microseconds(microseconds)
        }
        if let member = members["filesLimit"] {
            guard case .integer(let bytes) = member, JobSettings.filesLimits.contains(bytes) else { return nil }
            filesLimit = bytes
        }
    }
}

extension JobHooks {
    /// The hooks as JSON.
    fileprivate var json: JSONValue {
        var members: [String: JSONValue] = [:]
        for (moment, command) in commands { members[moment.rawValue] = .strings(command) }
        if !environment.isEmpty { members["env"] = .object(environment.mapValues { .string($0) }) }
        if let directory { members["cwd"] = .string(directory) }
        if let timeout { members["timeout"] = .integer(timeout.microseconds) }
        return .object(members)
    }

    /// Reads hooks; nil for JSON of another form.
    fileprivate init?(_ json: JSONValue) {
        guard case .object(let members) = json else { return nil }
        self.init([:])
        for moment in Moment.allCases {
            guard let member = members[moment.rawValue] else { continue }
            guard let words = member.strings, !words.isEmpty else { return nil }
            commands[moment] = words
        }
        if let member = members["env"] {
            guard case .object(let variables) = member else { return nil }
            for (name, value) in variables {
                guard case .string(let text) = value else { return nil }
                environment[name] = text
            }
        }
        if let member = members["cwd"] {
            guard case .string(let path) = member else { return nil }
            directory = path
        }
        if let member = members["timeout"] {
            guard case .integer(let microseconds) = member, microseconds > 0 else { return nil }
            timeout = .microseconds(microseconds)
        }
    }
}
