@_spi(Baton) import BatonJSON
@_spi(Baton) public import BatonOperations

/// A graph of operations written by a user: JSON5, or one operation per line.
@_spi(Baton) public enum GraphFile {
    /// Reads a graph file in JSON5.
    ///
    /// The file is an object with `operations`, and optionally `name`, `queue`, `key`, `tags`,
    /// `maxFailures`, `cancelRunning`, `deadline`, `keepFiles`, `filesLimit`, `send`, `hooks`, `queues` and `defaults`. The work of an
    /// operation is `command` (an array, or a string for `/bin/sh -c`), `commands` (several at once), or `kind: "noop"` for an operation
    /// that only joins other operations.
    ///
    /// - Throws: ``GraphFileError`` for an invalid file, with the position; the check covers the whole submission.
    /// - Complexity: O(bytes)
    public static func submission(
        from text: [UInt8],
        options: GraphFileOptions
    ) throws(GraphFileError) -> Submission {
        var builder = GraphBuilder(options: options, text: text)
        guard try builder.parse(0..<text.count) else {
            throw GraphFileError(
                file: options.fileName,
                line: 1,
                column: 1,
                message: "the file is empty; a graph file is an object with \"operations\""
            )
        }
        try builder.readGraph()
        return try builder.finish()
    }
}

extension GraphBuilder {
    /// Reads a whole graph; the graph is the tree's first value.
    fileprivate mutating func readGraph() throws(GraphFileError) {
        guard tree.nodes[0].kind == .object else { throw wrongType("an object with \"operations\"", at: 0) }
        var operations: Int?
        for member in tree.keys(of: 0) {
            if try readGraphMember(member) == .operations { operations = member + 1 }
        }
        try readDefaultsOfGraph(at: 0)
        addToDefaults()
        guard let operations else { throw error("the graph has no \"operations\"", at: 0) }
        guard tree.nodes[operations].kind == .array else {
            throw wrongType("an array of operations", at: operations)
        }
        for operation in tree.elements(of: operations) { try readOperation(at: operation) }
        guard !isEmpty else { throw error("\"operations\" is empty, so there is nothing to run", at: operations) }
    }

    /// Reads a member about the whole job; the caller reads operations and their defaults after the other members.
    mutating func readGraphMember(_ member: Int) throws(GraphFileError) -> GraphKey {
        let key: GraphKey = try key(at: member)
        switch key {
        case .name: name = try label(at: member + 1, "name", mayBeEmpty: true)
        case .key: self.key = try label(at: member + 1, "key", mayBeEmpty: false)
        case .tags: try readTags(at: member + 1)
        case .maxFailures: try readMaxFailures(at: member + 1)
        case .cancelRunning: settings.cancelRunning = try truth(at: member + 1)
        case .deadline: settings.deadline = try deadline(at: member + 1)
        case .keepFiles: settings.keepFiles = try duration(at: member + 1)
        case .filesLimit: try readFilesLimit(at: member + 1)
        case .send: try readSentPaths(at: member + 1)
        case .hooks: try readHooks(at: member + 1)
        case .queues: try readQueues(at: member + 1)
        case .queue, .defaults, .operations: break
        }
        return key
    }

    /// Reads the graph's queue and then its defaults; the defaults may name another queue.
    mutating func readDefaultsOfGraph(at object: Int) throws(GraphFileError) {
        var nodes: [GraphKey: Int] = [:]
        for member in tree.keys(of: object) {
            let key: GraphKey = try key(at: member)
            nodes[key] = member + 1
        }
        // The files come to directories of the attempts' own.
        if !sentPaths.isEmpty { defaults.template.work.directory = nil }
        if let queue = nodes[.queue] { defaults.queue = try name(at: queue, of: "queue") }
        if let given = nodes[.defaults] { try readDefaults(at: given) }
    }

    /// Adds the settings of the command line to those for the whole job, before the first operation is read.
    mutating func addToDefaults() {
        let additions = options.additions
        if let queue = additions.queue { defaults.queue = queue }
        if let priority = additions.priority { defaults.entry.priority = priority }
        if let shell = additions.shell { defaults.shell = shell }
        defaults.template.work.environment.merge(additions.environment) { $1 }
    }

    private func label(at node: Int, _ what: String, mayBeEmpty: Bool) throws(GraphFileError) -> String {
        let text = try nameText(at: node)
        if let objection = Name.forbiddenCharacter(in: text) {
            throw error("the \(what) \"\(text.asShown)\" is not allowed: \(objection)", at: node)
        }
        guard text.utf8.count <= Name.maximumLength, mayBeEmpty || !text.isEmpty else {
            throw error("the \(what) is empty or has more than \(Name.maximumLength) bytes", at: node)
        }
        return text
    }
}
