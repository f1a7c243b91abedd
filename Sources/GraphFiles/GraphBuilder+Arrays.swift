@_spi(Baton) import BatonJSON
@_spi(Baton) import BatonOperations

extension GraphBuilder {
    /// Puts an array together, after all keys of its operation are read.
    ///
    /// - Parameters:
    ///   - kind: the work as outside arrays, with its key.
    ///   - workNode: the value of the key.
    ///   - settings: the operation's settings, which get the columns of the array.
    ///   - member: the first key that makes the array, for errors.
    /// - Returns: the elements, and the work with the places that the elements fill.
    func array(
        of sources: [ArraySource],
        _ kind: (work: Work.Kind, key: OperationKey.Fixed),
        at workNode: Int,
        changing settings: inout OperationSettings?,
        at member: Int
    ) throws(GraphFileError) -> (values: ArrayValues, work: Work.Kind) {
        if kind.key == .type {
            throw error(
                "the elements of an array would all get the same argument; give an operation for each argument",
                at: member
            )
        }
        var changed = settings ?? defaults
        if changed.entry.isBarrier {
            throw error(
                "an array cannot be a barrier; make a single operation the barrier, or say barrier: false here",
                at: member
            )
        }
        let values: ArrayValues
        do throws(Refusal) {
            let elements = try ArraySource.elements(of: sources)
            values = elements.values
            if !elements.columns.isEmpty { changed.template.work.columns = elements.columns }
        } catch {
            throw self.error(error.message, at: member, code: error.code)
        }
        let columns = changed.template.work.columns
        if let line = changed.template.shellHook {
            changed.template.onFinish = ShellLine.words(line, columns: columns)
        }
        if let arrayLimit { changed.template.maxConcurrent = arrayLimit }
        settings = changed
        guard kind.key == .command || kind.key == .commands else { return (values, kind.work) }
        let work = try work(kind.key, at: workNode, inArrayOf: columns, shell: changed.shell)
        do throws(Refusal) {
            if case .commands(let commands) = work {
                let common = defaults.template.work.environment
                let placeholders = Placeholders(columns: columns)
                try placeholders.check(
                    changed.template.work.environment.filter { common[$0.key] != $0.value },
                    advice: "give this text itself in the \"env\" of \"defaults\""
                )
                try placeholders.check(path: changed.template.work.directory, "working directory")
                try placeholders.check(path: changed.template.work.standardInput, "file of standard input")
                try placeholders.check(commands, hook: changed.template.onFinish ?? [])
            }
        } catch {
            throw self.error(error.message, at: workNode, code: error.code)
        }
        return (values, work)
    }

    /// The items that a key gives.
    mutating func source(_ key: OperationKey.Fixed, at node: Int) throws(GraphFileError) -> ArraySource {
        switch key {
        case .array: return .items(try range(at: node))
        case .eachRow: return .rows(try table(at: node))
        case .each where tree.nodes[node].kind == .string:
            return .items(.lines(ItemFields.fields(of: try string(at: node))))
        default: return .items(try lines(key, at: node))
        }
    }

    private mutating func range(at node: Int) throws(GraphFileError) -> ArrayValues {
        let text = try string(at: node, "a range in a string, such as \"1-1000\" or \"1-1000:2\"")
        do {
            let (ranges, limit) = try ArrayLimit.split(text)
            arrayLimit = limit
            return try ArrayValues(range: ranges)
        } catch {
            throw self.error(error.message, at: node)
        }
    }

    private func table(at node: Int) throws(GraphFileError) -> RowTable {
        let path = try string(at: node, "the path of a CSV or TSV file")
        let lines = try fileLines(path, at: node)
        do {
            return try RowTable(lines.joined(separator: "\n"), name: path, subject: "\"\(path.asShown)\"")
        } catch {
            throw self.error(error.message, at: node, code: error.code)
        }
    }

    private func fileLines(_ path: String, at node: Int) throws(GraphFileError) -> [String] {
        do {
            return try options.readLines(path)
        } catch {
            throw self.error(error.message, at: node, code: error.code)
        }
    }

    private func lines(_ key: OperationKey.Fixed, at node: Int) throws(GraphFileError) -> ArrayValues {
        let lines: [String]
        if tree.nodes[node].kind == .string {
            let path = try string(at: node)
            lines = try fileLines(path, at: node)
            if let line = lines.firstIndex(where: { $0.utf8.contains(0) }) {
                throw error("line \(line + 1) of \"\(path)\" has a NUL in it, which no program can be given", at: node)
            }
            guard !lines.isEmpty else { throw error("\"\(path)\" has no lines, so there is nothing to run", at: node) }
        } else {
            let expected =
                key == .each
                ? "items as \"a,b,c\", or an array of strings" : "the path of a file, or an array of strings"
            lines = try strings(at: node, expected)
            guard !lines.isEmpty else {
                throw error("\"\(key.rawValue)\" is empty, so there is nothing to run", at: node)
            }
        }
        return .lines(lines)
    }
}
