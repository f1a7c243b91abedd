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
        var array: (values: ArrayValues, member: Int)?
        var isCancelled = false
        dependencyNodes.removeAll(keepingCapacity: true)
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
            case .argument: argumentMember = member
            case .array, .eachLine:
                if array != nil { throw error("give one of \"array\" and \"eachLine\", not both", at: member) }
                array = (try key == .array ? range(at: value) : lines(at: value), member)
            case .after: try readDependencies(at: value, .any)
            case .needs: try readDependencies(at: value, .success)
            case .onFailure: try readDependencies(at: value, .failure)
            case .cancelled: isCancelled = try truth(at: value)
            case .queue: try readSetting(.fixed(key), at: value, changing: &settings)
            }
        }
        if let argumentMember { try readArgument(at: argumentMember, into: &kind) }
        guard let kind else {
            let what = operationName.map { "the operation \"\($0.text.asShown)\"" } ?? "the operation"
            throw error(
                "\(what) has no \"command\"; give one, a \"type\", or kind: \"noop\" for one that does nothing",
                at: node
            )
        }
        if let array, kind.key == .type {
            throw error(
                "the elements of an array would all get the same argument; give an operation for each argument",
                at: array.member
            )
        }
        if let array, (settings?.entry ?? defaults.entry).isBarrier {
            throw error(
                "an array cannot be a barrier; make a single operation the barrier, or say barrier: false here",
                at: array.member
            )
        }
        try add(
            name: operationName,
            kind: kind.work,
            settings: settings,
            isCancelled: isCancelled,
            array: array?.values,
            at: node
        )
    }

    private func work(_ key: OperationKey.Fixed, at node: Int) throws(GraphFileError) -> Work.Kind {
        switch key {
        case .command:
            return .commands([try command(at: node)])
        case .commands:
            guard tree.nodes[node].kind == .array else { throw wrongType("an array of commands", at: node) }
            var commands: [[String]] = []
            for element in tree.elements(of: node) { commands.append(try command(at: element)) }
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
    func command(at node: Int) throws(GraphFileError) -> [String] {
        if tree.nodes[node].kind == .string {
            let line = try string(at: node)
            guard !line.isEmpty else { throw error("the command is empty", at: node) }
            return ["/bin/sh", "-c", line]
        }
        let words = try strings(at: node, "a command: an array of strings, or a string for the shell")
        guard let program = words.first, !program.isEmpty else {
            throw error("the command is empty; give a program and its arguments", at: node)
        }
        return words
    }

    private func range(at node: Int) throws(GraphFileError) -> ArrayValues {
        let text = try string(at: node, "a range in a string, such as \"1-1000\" or \"1-1000:2\"")
        do {
            return try ArrayValues(range: text)
        } catch {
            throw self.error(error.message, at: node)
        }
    }

    private func lines(at node: Int) throws(GraphFileError) -> ArrayValues {
        let lines: [String]
        if tree.nodes[node].kind == .string {
            let path = try string(at: node)
            do {
                lines = try options.readLines(path)
            } catch {
                throw self.error(error.message, at: node, code: error.code)
            }
            if let line = lines.firstIndex(where: { $0.utf8.contains(0) }) {
                throw error("line \(line + 1) of \"\(path)\" has a NUL in it, which no program can be given", at: node)
            }
            guard !lines.isEmpty else { throw error("\"\(path)\" has no lines, so there is nothing to run", at: node) }
        } else {
            lines = try strings(at: node, "the path of a file, or an array of strings")
            guard !lines.isEmpty else { throw error("\"eachLine\" is empty, so there is nothing to run", at: node) }
        }
        return .lines(lines)
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
