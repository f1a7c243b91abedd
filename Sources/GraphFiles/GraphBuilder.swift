import BatonOperations

/// Puts a submission together out of what graph files say, entry by entry.
///
/// It holds the text that is being read, so that every error knows its place. Names are resolved at the end, because an
/// operation may depend on one that comes later (DE3).
struct GraphBuilder {
    /// A dependency on an operation that had not come yet when it was read.
    private struct Pending {
        var entry: Int
        var dependency: Int
        var name: String
        var position: TextPosition
    }

    let options: GraphFileOptions
    /// The text being read, and its values.
    var tree: JSONTree
    /// The line that ``lineStart`` starts.
    var line = 1
    /// Where in the tree's text the line starts that is being read; 0 where the text is read as a whole.
    var lineStart = 0

    var name: String?
    var key: String?
    var queueChanges: [QueueChange] = []
    /// What operations get that do not say otherwise.
    var defaults = OperationSettings()
    /// What the operation that is being read depends on, as nodes with strings.
    var dependencyNodes: [(node: Int, condition: DependencyCondition)] = []

    private var queueNames: [String] = []
    private var queuePositions: [String: Int] = [:]
    private var templates = TemplateTable()
    private var entries: [Entry] = []
    private var entryTexts: [TextPosition] = []
    private var names = NameTable()
    /// What the last operation had that said nothing of its settings; nil where none has come yet.
    private var plain: (kind: Work.Kind, template: Int, queue: Int)?
    private var pending: [Pending] = []

    init(options: GraphFileOptions, text: [UInt8] = [], partName: String = "file") {
        self.options = options
        self.tree = JSONTree(bytes: text, partName: partName)
        self.defaults.directory = options.directory
    }

    /// Whether any operation has been read.
    var isEmpty: Bool { entries.isEmpty }

    /// How many operations and arrays have been read.
    var count: Int { entries.count }

    /// Gets the space for so many operations and arrays in all.
    mutating func reserveCapacity(_ count: Int) {
        entries.reserveCapacity(count)
        entryTexts.reserveCapacity(count)
    }

    /// Adds an operation or array, with what ``dependencyNodes`` says.
    ///
    /// - Parameters:
    ///   - name: its name, and the node that gives it.
    ///   - settings: nil where it has the defaults.
    ///   - isCancelled: whether it finishes without running (CA12).
    mutating func add(
        name: (text: String, node: Int)?,
        kind: Work.Kind,
        settings: OperationSettings?,
        isCancelled: Bool,
        array: ArrayValues?,
        at node: Int
    ) throws(GraphFileError) {
        let position = entries.count
        if let name, let earlier = names.insert(name.text, at: position, in: entries) {
            let place = location(of: entryTexts[earlier])
            throw error(
                "the name \"\(name.text.asShown)\" is taken by the operation on line \(place.line); rename one of them",
                at: name.node,
                code: .duplicateName
            )
        }
        let (template, queue) = shared(by: kind, settings)
        var entry = Entry(name: name?.text, template: template, queue: queue, isCancelled: isCancelled, array: array)
        // Not merged before: a copy of all settings for each operation is what takes time.
        if let settings { settings.apply(to: &entry) } else { defaults.apply(to: &entry) }
        for (node, condition) in dependencyNodes {
            let target = try target(at: node, of: position, named: name?.text, index: entry.dependencies.count)
            entry.dependencies.append(Dependency(on: target, condition: condition))
        }
        entries.append(entry)
        entryTexts.append(textPosition(of: name?.node ?? node))
    }

    /// Resolves what was left open, and checks the whole.
    mutating func finish() throws(GraphFileError) -> Submission {
        for dependency in pending {
            guard let target = names.position(of: dependency.name, in: entries) else {
                let suggestion = Suggestion.clause(for: dependency.name, among: entries.lazy.compactMap(\.name))
                throw error(
                    "no operation has the name \"\(dependency.name.asShown)\"" + suggestion,
                    at: dependency.position,
                    code: .unknownDependency
                )
            }
            entries[dependency.entry].dependencies[dependency.dependency].target = .entry(target)
        }
        let submission = Submission(
            name: name,
            key: key,
            queueChanges: queueChanges,
            queueNames: queueNames,
            templates: templates.templates,
            entries: entries
        )
        do {
            try submission.validated(areNamesChecked: true)
        } catch {
            throw explained(error)
        }
        return submission
    }

    /// Gives what the check of the whole found its place in the text.
    private func explained(_ refusal: Refusal) -> GraphFileError {
        let path = refusal.path.compactMap(entry(labelled:))
        guard refusal.code == .cycle, let first = path.first else {
            return GraphFileError(
                file: options.fileName,
                line: 1,
                column: 1,
                sentence: refusal.message,
                code: refusal.code,
                path: refusal.path
            )
        }
        let links = path.contains { entries[$0].isBarrier } ? "the dependencies and barriers" : "the dependencies"
        return error(
            "\(links) form a cycle, in which each waits for the next: \(Refusal.text(ofPath: refusal.path)); "
                + "remove one of them",
            at: entryTexts[first],
            code: .cycle,
            path: refusal.path
        )
    }

    /// The entry that the check of the whole names so; see ``Operations/Submission/label(ofEntry:)``.
    private func entry(labelled label: String) -> Int? {
        if let named = names.position(of: label, in: entries) { return named }
        return Int(label.dropFirst()).flatMap { entries.indices.contains($0) ? $0 : nil }
    }

    /// Reads what an entry depends on; a name that has not come yet is noted for later.
    private mutating func target(
        at node: Int,
        of entry: Int,
        named own: String?,
        index: Int
    ) throws(GraphFileError) -> Dependency.Target {
        if tree.nodes[node].kind == .number { throw bareNumber("\(tree.number(at: node))", at: node) }
        let text = try nameText(at: node)
        if let own, text == own {
            throw error(
                "the operation \"\(own.asShown)\" depends on itself: \(own.asShown) -> \(own.asShown); remove that",
                at: node,
                code: .cycle,
                path: [own, own]
            )
        }
        if let earlier = names.position(of: text, in: entries) { return .entry(earlier) }
        // A name never starts with a digit, and an address always does.
        if let address = Address(text) {
            if case .job = address, !text.utf8.contains(UInt8(ascii: "/")) { throw bareNumber(text, at: node) }
            return .existing(address)
        }
        guard Name.isValid(text) else {
            throw error(
                "\"\(text.asShown)\" is neither a name of this file nor an address like 12/sepia, 12/3 or 12/*",
                at: node,
                code: .unknownDependency
            )
        }
        pending.append(Pending(entry: entry, dependency: index, name: text, position: textPosition(of: node)))
        return .entry(-1)
    }

    /// A number without more in the place of a dependency.
    private func bareNumber(_ number: String, at node: Int) -> GraphFileError {
        let number = number.hasSuffix(".0") ? String(number.dropLast(2)) : number
        return error(
            "\(number) could be an index in this file as well as a job; operations of this file are named by their names, "
                + "and all of an earlier job \(number) is \"\(number)/*\"",
            at: node,
            code: .unknownDependency
        )
    }

    /// The template and the queue of an operation.
    private mutating func shared(by kind: Work.Kind, _ settings: OperationSettings?) -> (template: Int, queue: Int) {
        // Most operations are like the one before, and comparing what they do is cheaper than making a template.
        if settings == nil, let plain, plain.kind == kind { return (plain.template, plain.queue) }
        let used = settings ?? defaults
        let template = templates.position(of: used.template(for: kind))
        let queue = intern(queue: used.queue)
        if settings == nil { plain = (kind, template, queue) }
        return (template, queue)
    }

    private mutating func intern(queue name: String) -> Int {
        if let last = entries.last?.queue, queueNames[last] == name { return last }
        if let position = queuePositions[name] { return position }
        queueNames.append(name)
        queuePositions[name] = queueNames.count - 1
        return queueNames.count - 1
    }
}
