@_spi(Baton) import BatonJSON
@_spi(Baton) import BatonOperations

/// Reads a WfFormat record into a submission.
struct WfCommonsReader {
    /// The measured values of a task.
    private struct Measurement {
        /// The run time in seconds.
        var runTime: Double
        var priority: Int?
    }

    /// The builder with the text and its positions.
    var builder: GraphBuilder

    private var tree: JSONTree { builder.tree }

    /// Reads the whole record.
    mutating func submission(timeScale: Double) throws(GraphFileError) -> Submission {
        guard try builder.parse(0..<builder.tree.bytes.count) else {
            throw GraphFileError(
                file: builder.options.fileName,
                line: 1,
                column: 1,
                message: "the file is empty; a WfFormat record is an object with \"workflow\""
            )
        }
        let workflow = try member("workflow", of: 0, "a WfFormat record")
        let specification = try member("specification", of: workflow, "the workflow of WfFormat 1.5")
        let execution = try member("execution", of: workflow, "a workflow with run times")
        let tasks = try elements("tasks", of: specification, "the specification")
        let measurements = try measurements(of: try elements("tasks", of: execution, "the execution"))
        let priorities = priorities(of: measurements.values.compactMap(\.priority))

        var names = UniqueNames()
        var positions: [String: Int] = [:]
        var ids: [(text: String, node: Int)] = []
        for (position, task) in tasks.enumerated() {
            let node = try member("id", of: task, "a task")
            let id = try builder.string(at: node)
            guard positions.updateValue(position, forKey: id) == nil else {
                throw builder.error("two tasks have the id \"\(id)\"", at: node, code: .duplicateName)
            }
            ids.append((id, node))
        }
        var templates = TemplateTable()
        var entries: [Entry] = []
        for (task, id) in zip(tasks, ids) {
            guard let measurement = measurements[id.text] else {
                throw builder.error("the task \"\(id.text)\" has no run time in \"execution\"", at: id.node)
            }
            let template = Template(work: Work(.commands([["sleep", fixed(measurement.runTime * timeScale)]])))
            entries.append(
                Entry(
                    name: names.make(from: id.text),
                    template: templates.position(of: template),
                    priority: measurement.priority.flatMap { priorities[$0] } ?? .normal,
                    dependencies: try parents(of: task, positions: positions)
                )
            )
        }
        let submission = Submission(name: try name(), templates: templates.templates, entries: entries)
        do {
            try submission.validated()
        } catch {
            throw builder.error(error.message, at: specification, code: error.code, path: error.path)
        }
        return submission
    }

    private func parents(of task: Int, positions: [String: Int]) throws(GraphFileError) -> [Dependency] {
        var dependencies: [Dependency] = []
        var seen: Set<Int> = []
        for parent in try elements("parents", of: task, "a task") {
            let id = try builder.string(at: parent)
            guard let position = positions[id] else {
                throw builder.error("no task has the id \"\(id)\" of this parent", at: parent, code: .unknownDependency)
            }
            if seen.insert(position).inserted {
                dependencies.append(Dependency(on: .entry(position), condition: .success))
            }
        }
        return dependencies
    }

    private func measurements(of tasks: [Int]) throws(GraphFileError) -> [String: Measurement] {
        var measurements: [String: Measurement] = [:]
        for task in tasks {
            let id = try builder.string(at: try member("id", of: task, "a task"))
            let node = try member("runtimeInSeconds", of: task, "an executed task")
            let runTime = tree.nodes[node].kind == .number ? tree.number(at: node) : .nan
            guard runTime >= 0, runTime <= 864_000_000 else {
                throw builder.error("the run time of \"\(id)\" is not a number of seconds from 0", at: node)
            }
            var priority: Int?
            if let node = try value("priority", of: task), tree.nodes[node].kind != .null {
                priority = try builder.integer(
                    at: node,
                    "a whole number as priority",
                    in: -1_000_000_000...1_000_000_000
                )
            }
            measurements[id] = Measurement(runTime: runTime, priority: priority)
        }
        return measurements
    }

    /// Assigns a Baton priority to each recorded priority, without inverting an order.
    private func priorities(of recorded: [Int]) -> [Int: Priority] {
        let distinct = Set(recorded).sorted()
        // A small number of priorities spreads around normal, so that tasks without a priority come in between.
        let used: [Priority] =
            switch distinct.count {
            case 0, 1: [.normal]
            case 2: [.low, .high]
            case 3: [.low, .normal, .high]
            case 4: [.veryLow, .low, .high, .veryHigh]
            default: Priority.allCases
            }
        var assigned: [Int: Priority] = [:]
        for (rank, priority) in distinct.enumerated() {
            assigned[priority] = used[rank * used.count / distinct.count]
        }
        return assigned
    }

    /// The job's name: the record's name, shortened to the maximum length.
    private func name() throws(GraphFileError) -> String? {
        guard let node = try value("name", of: 0), tree.nodes[node].kind == .string else { return nil }
        return UniqueNames.shortened(try builder.string(at: node), to: Name.maximumLength)
    }

    private func value(_ key: String, of object: Int) throws(GraphFileError) -> Int? {
        do {
            return try tree.value(of: key, in: object)
        } catch {
            throw builder.error(error)
        }
    }

    private func member(_ key: String, of object: Int, _ what: String) throws(GraphFileError) -> Int {
        guard let node = try value(key, of: object) else {
            throw builder.error("\(what) has a \"\(key)\", and this has none", at: object)
        }
        return node
    }

    private func elements(_ key: String, of object: Int, _ what: String) throws(GraphFileError) -> [Int] {
        let node = try member(key, of: object, what)
        guard tree.nodes[node].kind == .array else { throw builder.wrongType("an array", at: node) }
        return Array(tree.elements(of: node))
    }

    /// Seconds in fixed notation, rounded to nanoseconds, in the form for `sleep`: `97.66`, `0.000009611`.
    private func fixed(_ seconds: Double) -> String {
        let nanoseconds = Int64(min(seconds, 864_000_000) * 1_000_000_000 + 0.5)
        let (whole, part) = nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
        guard part > 0 else { return String(whole) }
        let digits = String(part)
        var text = String(repeating: "0", count: 9 - digits.utf8.count) + digits
        while text.hasSuffix("0") { text.removeLast() }
        return "\(whole).\(text)"
    }
}
