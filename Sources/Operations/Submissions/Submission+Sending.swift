/// Submissions with files of the submitter.
@_spi(Baton) extension Submission {
    /// Adds the operation that has the files, behind the others, and gives the files to the commands that have no place of their own.
    ///
    /// - Parameter paths: the files and directories, as the submitter names them.
    /// - Throws: ``Refusal`` `duplicateName` if an operation has the name of the files, and `invalid` as ``giveSentFiles()``.
    public mutating func send(_ paths: [String]) throws(Refusal) {
        guard !entries.contains(where: { $0.name == SentFiles.name }) else {
            throw Refusal(
                .duplicateName,
                "An operation has the name \"\(SentFiles.name)\", which is that of the sent files. Choose another name."
            )
        }
        if queueNames.isEmpty { queueNames.append(Self.defaultQueue) }
        templates.append(.ofSentFiles)
        sent = SentFiles(entry: entries.count, paths: paths)
        entries.append(Entry(name: SentFiles.name, template: templates.count - 1))
        try giveSentFiles()
    }

    /// Lets each command find the files in its directory, which becomes one of the attempt's own.
    ///
    /// What has a directory or picks inputs of its own stays as it is.
    ///
    /// - Throws: ``Refusal`` `invalid` if there are operations, and none of them gets the files.
    /// - Complexity: O(entries + dependencies).
    public mutating func giveSentFiles() throws(Refusal) {
        guard let sent else { return }
        var takes = [Bool](repeating: false, count: templates.count)
        for position in templates.indices where templates[position].work.canTakeSentFiles {
            templates[position].work.workspace = .fresh
            templates[position].work.picks = [SentFiles.pick.pattern: SentFiles.pick.place]
            takes[position] = true
        }
        var isTaken = entries.count == 1
        for position in entries.indices where position != sent.entry {
            let hasDependency = entries[position].dependencies.contains { $0.target == .entry(sent.entry) }
            let takesAll = takes[entries[position].template]
            if takesAll, !hasDependency {
                entries[position].dependencies.append(Dependency(on: .entry(sent.entry), condition: .success))
            }
            if takesAll || hasDependency { isTaken = true }
        }
        guard isTaken else {
            throw Refusal(
                .invalid,
                "No operation gets the files that are sent: each has a directory or picked inputs of its own, or no command. Leave the "
                    + "directory out, or let an operation need \"\(SentFiles.name)\"."
            )
        }
    }

    /// Refuses sent files that could not be those of their operation.
    func checkSent() throws(Refusal) {
        guard let sent else { return }
        guard entries.indices.contains(sent.entry), case let entry = entries[sent.entry], entry.name == SentFiles.name,
            entry.array == nil, entry.dependencies.isEmpty, entry.delay == nil, !entry.isHeld, !entry.isBarrier,
            !entry.isCancelled, templates[entry.template].work.kind == .noOperation
        else {
            throw Refusal(
                .invalid,
                "The files that are sent belong to an operation without a command, a dependency or a condition, which has the name "
                    + "\"\(SentFiles.name)\", and entry \(sent.entry) is not such an operation. Submit the files with baton."
            )
        }
        if let objection = SentFiles.objection(toPaths: sent.files.map(\.path)) { throw Refusal(.invalid, objection) }
    }
}

@_spi(Baton) extension Template {
    /// That of the operation that has the files of the submitter.
    public static var ofSentFiles: Template { Template(work: Work(.noOperation)) }
}

extension Work {
    /// Whether the programs would find files of the submitter in their directory, if it were one of their own.
    fileprivate var canTakeSentFiles: Bool {
        guard case .commands = kind else { return false }
        return directory == nil && !picksInputs
    }
}
