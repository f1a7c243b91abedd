@_spi(Baton) import BatonJSON
@_spi(Baton) import BatonOperations

extension GraphBuilder {
    /// Reads an operation or array, and adds it.
    mutating func readOperation(at node: Int) throws(GraphFileError) {
        guard tree.nodes[node].kind == .object else { throw wrongType("an operation: an object", at: node) }
        var settings: OperationSettings?
        var operationName: (text: String, node: Int)?
        var kind: (work: Work.Kind, key: OperationKey.Fixed)?
        var argumentMember: Int?
        var workNode = node
        var sources: [ArraySource] = []
        var arrayMember: Int?
        var isCancelled = false
        var allMember: Int?
        var beginMember: Int?
        dependencyNodes.removeAll(keepingCapacity: true)
        arrayLimit = nil
        for member in tree.keys(of: node) {
            let key: OperationKey = try key(at: member)
            let value = member + 1
            guard case .fixed(let key) = key else {
                try readSetting(key, at: value, changing: &settings)
                continue
            }
            switch key {
            case .name:
                operationName = (try name(at: value, of: "operation"), value)
            case .command, .commands, .kind, .type:
                if let other = kind?.key {
                    throw error("give one of \"\(other.rawValue)\" and \"\(key.rawValue)\", not both", at: member)
                }
                kind = (try work(key, at: value), key)
                workNode = value
            case .argument: argumentMember = member
            case .array, .each, .eachLine, .eachRow:
                sources.append(try source(key, at: value))
                arrayMember = arrayMember ?? member
            case .after: try readDependencies(at: value, .any)
            case .needs: try readDependencies(at: value, .success)
            case .onFailure: try readDependencies(at: value, .failure)
            case .all: allMember = try truth(at: value) ? member : nil
            case .cancelled: isCancelled = try truth(at: value)
            case .queue, .shell: try readSetting(.fixed(key), at: value, changing: &settings)
            case .begin: beginMember = member
            }
        }
        if let beginMember, try setsDelay(begin: beginMember, in: node) {
            try readSetting(.fixed(.begin), at: beginMember + 1, changing: &settings)
        }
        if let argumentMember { try readArgument(at: argumentMember, into: &kind) }
        if let allMember { try requireEveryFailure(at: allMember) }
        guard let kind else {
            let what = operationName.map { "the operation \"\($0.text.asShown)\"" } ?? "the operation"
            throw error(
                "\(what) has no \"command\"; give one, a \"type\", or kind: \"noop\" for one that does nothing",
                at: node
            )
        }
        var values: ArrayValues?
        var used = kind.work
        if let arrayMember {
            (values, used) = try array(of: sources, kind, at: workNode, changing: &settings, at: arrayMember)
        } else if let shell = settings == nil ? defaults.shell : settings?.shell,
            kind.key == .command || kind.key == .commands
        {
            // The key of the shell may stand behind the command.
            used = try work(kind.key, at: workNode, shell: shell)
        }
        try add(
            name: operationName,
            kind: used,
            settings: settings,
            isCancelled: isCancelled,
            array: values,
            at: node
        )
    }

    func work(
        _ key: OperationKey.Fixed,
        at node: Int,
        inArrayOf columns: [String]? = nil,
        shell: CommandShell? = nil
    ) throws(GraphFileError) -> Work.Kind {
        switch key {
        case .command:
            return .commands([try command(at: node, inArrayOf: columns, shell: shell)])
        case .commands:
            guard tree.nodes[node].kind == .array else { throw wrongType("an array of commands", at: node) }
            var commands: [[String]] = []
            for element in tree.elements(of: node) {
                commands.append(try command(at: element, inArrayOf: columns, shell: shell))
            }
            guard !commands.isEmpty else { throw error("\"commands\" is empty; give at least one command", at: node) }
            return .commands(commands)
        case .type:
            return .typed(type: try name(at: node, of: "type"), argument: Self.noArgument)
        default:
            return try word(at: node, "kind", among: ["noop"]) { $0 == "noop" ? .noOperation : nil }
        }
    }

    /// The argument of a typed operation without an `argument` key.
    private static let noArgument = Array("null".utf8)

    /// Reads the argument of a typed operation; any JSON value is valid.
    ///
    /// - Parameter member: the key; the value is the next node.
    private func readArgument(
        at member: Int,
        into kind: inout (work: Work.Kind, key: OperationKey.Fixed)?
    ) throws(GraphFileError) {
        guard let type = kind?.work.type else {
            throw error("\"argument\" is for operations with a \"type\"; give one, or no argument", at: member)
        }
        let argument: [UInt8]
        do {
            argument = Array(try tree.compactText(of: member + 1).utf8)
        } catch {
            throw self.error(error)
        }
        guard argument.count <= Work.maximumArgumentLength else {
            throw error("the argument has more than \(Work.maximumArgumentLength) bytes as JSON", at: member)
        }
        kind?.work = .typed(type: type, argument: argument)
    }

    /// A program with its arguments, or a command line for the shell.
    ///
    /// - Parameters:
    ///   - columns: the columns of the array to which the command belongs; nil outside arrays.
    ///   - shell: the shell for a command line; nil for the standard one.
    func command(
        at node: Int,
        inArrayOf columns: [String]? = nil,
        shell: CommandShell? = nil
    ) throws(GraphFileError) -> [String] {
        if tree.nodes[node].kind == .string {
            let line = try string(at: node)
            guard !line.isEmpty else { throw error("the command is empty", at: node) }
            let shell = shell ?? .standard
            return columns.map { ShellLine.words(line, columns: $0, shell: shell) } ?? shell.command(line)
        }
        let words = try strings(at: node, "a command: an array of strings, or a string for the shell")
        guard let program = words.first, !program.isEmpty else {
            throw error("the command is empty; give a program and its arguments", at: node)
        }
        return words
    }

    /// Lets the operation wait for the failure of each of its `onFailure` (EL3).
    ///
    /// - Parameter member: the key that says so.
    private mutating func requireEveryFailure(at member: Int) throws(GraphFileError) {
        guard dependencyNodes.contains(where: { $0.condition == .failure }) else {
            throw error(
                "\"all\" is about \"onFailure\", which the operation does not have; leave one out or give both",
                at: member
            )
        }
        for position in dependencyNodes.indices where dependencyNodes[position].condition == .failure {
            dependencyNodes[position].condition = .failureOfAll
        }
    }

    private mutating func readDependencies(
        at node: Int,
        _ condition: DependencyCondition
    ) throws(GraphFileError) {
        switch tree.nodes[node].kind {
        case .string:
            dependencyNodes.append((node, condition))
        case .array:
            for element in tree.elements(of: node) { dependencyNodes.append((element, condition)) }
        case .number:
            dependencyNodes.append((node, condition))
        default:
            throw wrongType("a name or an address in quotes, or an array of them", at: node)
        }
    }
}
