@_spi(Baton) import BatonJSON
@_spi(Baton) import BatonOperations

/// Builds a submission from graph files, entry by entry.
///
/// The builder holds the current text, so that every error contains its position. Names are resolved at the end, because an
/// operation may depend on a later operation (DE3).
struct GraphBuilder {
    /// A dependency on an operation not yet read.
    private struct Pending {
        var entry: Int
        var dependency: Int
        var name: String
        var part: ElementPart
        var position: TextPosition
    }

    let options: GraphFileOptions
    /// The current text, and its values.
    var tree: JSONTree
    /// The number of the line at ``lineStart``.
    var line = 1
    /// The offset of the current line in the tree's text; 0 if the text is read as a whole.
    var lineStart = 0

    var name: String?
    var key: String?
    var settings = JobSettings()
    var queueChanges: [QueueChange] = []
    /// The files and directories that are sent with the job.
    var sentPaths: [String]
    /// Where the file names them; nil if it does not.
    var sentPosition: TextPosition?
    /// The default settings of operations.
    var defaults = OperationSettings()
    /// The limit behind the ranges of the current array: `1-1000%20`; nil for none.
    var arrayLimit: UInt32?
    /// The dependencies of the current operation, as nodes with strings.
    var dependencyNodes: [(node: Int, condition: DependencyCondition)] = []

    private var queueNames: [String] = []
    private var queuePositions: [String: Int] = [:]
    private var templates = TemplateTable()
    private var entries: [Entry] = []
    private var entryTexts: [TextPosition] = []
    private var names = NameTable()
    /// The work kind, template and queue of the last operation without settings of its own; nil before the first.
    private var plain: (kind: Work.Kind, template: Int, queue: Int)?
    private var pending: [Pending] = []

    init(options: GraphFileOptions, text: [UInt8] = [], partName: String = "file") {
        self.options = options
        self.tree = JSONTree(bytes: text, partName: partName)
        sentPaths = options.additions.send
        self.defaults = OperationSettings(directory: sentPaths.isEmpty ? options.directory : nil)
    }

    /// Whether any operation has been read.
    var isEmpty: Bool { entries.isEmpty }

    /// How many operations and arrays have been read.
    var count: Int { entries.count }

    /// Reserves space for a total number of operations and arrays.
    mutating func reserveCapacity(_ count: Int) {
        entries.reserveCapacity(count)
        entryTexts.reserveCapacity(count)
    }

    /// Adds an operation or array, with the dependencies in ``dependencyNodes``.
    ///
    /// - Parameters:
    ///   - name: the operation's name, and the node of the name.
    ///   - settings: the operation's settings; nil stands for the defaults.
    ///   - isCancelled: whether the operation finishes without running (CA12).
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
        // Copies the entry alone: a copy of all settings for each operation takes most of the time.
        var entry = settings?.entry ?? defaults.entry
        entry.name = name?.text
        entry.template = template
        entry.queue = queue
        entry.isCancelled = isCancelled
        entry.array = array
        for (node, condition) in dependencyNodes {
            let target = try target(at: node, of: position, named: name?.text, index: entry.dependencies.count)
            entry.dependencies.append(Dependency(on: target, condition: condition))
        }
        entries.append(entry)
        entryTexts.append(textPosition(of: name?.node ?? node))
    }

    /// Resolves the open dependencies, and checks the whole submission.
    mutating func finish() throws(GraphFileError) -> Submission {
        let sentEntry = try sentPaths.isEmpty ? nil : addSentEntry()
        for dependency in pending {
            guard let target = names.position(of: dependency.name, in: entries) else {
                let suggestion =
                    dependency.name == SentFiles.name
                    ? "; it is the name of the files that \"send\" or --send sends"
                    : Suggestion.clause(for: dependency.name, among: entries.lazy.compactMap(\.name))
                throw error(
                    "no operation has the name \"\(dependency.name.asShown)\"" + suggestion,
                    at: dependency.position,
                    code: .unknownDependency
                )
            }
            entries[dependency.entry].dependencies[dependency.dependency].target = try self.target(
                target,
                dependency.part,
                at: dependency.position
            )
        }
        addToFirstOperations(but: sentEntry)
        var submission = Submission(
            name: options.additions.name ?? name,
            key: key,
            queueChanges: queueChanges,
            queueNames: queueNames,
            templates: templates.templates,
            entries: entries
        )
        submission.settings = wholeSettings
        submission.sent = sentEntry.map { SentFiles(entry: $0, paths: sentPaths) }
        do {
            try submission.giveSentFiles()
            try submission.validated(areNamesChecked: true)
        } catch {
            throw explained(error)
        }
        return submission
    }

    /// Adds the operation that has the files of the submitter, behind the others.
    ///
    /// - Returns: its position.
    private mutating func addSentEntry() throws(GraphFileError) -> Int {
        let position = entries.count
        let place = sentPosition ?? entryTexts.first ?? TextPosition(firstLine: 1, offset: 0)
        if let earlier = names.insert(SentFiles.name, at: position, in: entries) {
            throw error(
                "the name \"\(SentFiles.name)\" is that of the files that are sent; rename this operation",
                at: entryTexts[earlier],
                code: .duplicateName
            )
        }
        if queueNames.isEmpty { _ = intern(queue: defaults.queue) }
        entries.append(Entry(name: SentFiles.name, template: templates.position(of: .ofSentFiles)))
        entryTexts.append(place)
        return position
    }

    /// Holds or delays the operations without a dependency inside the file, and adds dependencies to them, as the command line says.
    ///
    /// - Parameter sent: the position of the operation that has the files of the submitter, which counts as no part of the graph.
    private mutating func addToFirstOperations(but sent: Int?) {
        let (isHeld, added) = (options.additions.isHeld, options.additions.dependencies)
        let delay = options.additions.delay
        guard isHeld || delay != nil || !added.isEmpty else { return }
        for position in entries.indices
        where position != sent
            && !entries[position].dependencies.contains(where: { $0.isInside && $0.target.entry != sent })
        {
            if isHeld { entries[position].isHeld = true }
            if entries[position].delay == nil { entries[position].delay = delay }
            for dependency in added where !entries[position].dependencies.contains(dependency) {
                entries[position].dependencies.append(dependency)
            }
        }
    }

    /// Adds the position in the text to an error from the check of the whole submission.
    private func explained(_ refusal: Refusal) -> GraphFileError {
        let path = refusal.path.compactMap(entry(labelled:))
        guard refusal.code == .cycle, let first = path.first else {
            return GraphFileError(
                file: options.fileName,
                line: 1,
                column: 1,
                code: refusal.code,
                message: refusal.message,
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

    /// The entry with a label from the check of the whole submission; see ``BatonOperations/Submission/label(ofEntry:)``.
    private func entry(labelled label: String) -> Int? {
        if let named = names.position(of: label, in: entries) { return named }
        return Int(label.dropFirst()).flatMap { entries.indices.contains($0) ? $0 : nil }
    }

    /// Reads the target of a dependency; an unknown name is recorded for later.
    private mutating func target(
        at node: Int,
        of entry: Int,
        named own: String?,
        index: Int
    ) throws(GraphFileError) -> Dependency.Target {
        if tree.nodes[node].kind == .number { throw bareNumber("\(tree.number(at: node))", at: node) }
        let text = try nameText(at: node)
        if let own, text == own { throw dependsOnItself(own, at: node) }
        if let earlier = names.position(of: text, in: entries) { return .entry(earlier) }
        // A name never starts with a digit, and an address always starts with a digit.
        if let address = DependencyAddress(text) {
            if case .job = address.address, !text.utf8.contains(UInt8(ascii: "/")) { throw bareNumber(text, at: node) }
            return address.target
        }
        let (name, part) = ElementPart.divided(text)
        if let own, name == own { throw dependsOnItself(own, at: node) }
        if part != .whole, let earlier = names.position(of: name, in: entries) {
            return try target(earlier, part, at: textPosition(of: node))
        }
        guard Name.isValid(name) else {
            throw error(
                "\"\(text.asShown)\" is neither a name of this file nor an address like 12/sepia, 12/3 or 12/*",
                at: node,
                code: .unknownDependency
            )
        }
        pending.append(
            Pending(entry: entry, dependency: index, name: name, part: part, position: textPosition(of: node))
        )
        return .entry(-1)
    }

    /// An error about an operation that depends on itself, or on an element of itself.
    private func dependsOnItself(_ own: String, at node: Int) -> GraphFileError {
        error(
            "the operation \"\(own.asShown)\" depends on itself: \(own.asShown) -> \(own.asShown); remove this dependency",
            at: node,
            code: .cycle,
            path: [own, own]
        )
    }

    /// The target of a dependency on an entry of the file, or on elements of it.
    private func target(
        _ entry: Int,
        _ part: ElementPart,
        at position: TextPosition
    ) throws(GraphFileError) -> Dependency.Target {
        guard part != .whole else { return .entry(entry) }
        let name = entries[entry].name?.asShown ?? "#\(entry)"
        guard let array = entries[entry].array else {
            throw error("\"\(name)\" is a single operation and has no elements; give its name alone", at: position)
        }
        switch part {
        case .whole, .all: return .entry(entry)
        case .samePosition: return .elements(entry)
        case .number(let number):
            guard let element = array.position(ofNumber: number) else {
                let numbers = array.rangeText.map { "; its numbers are \($0)" } ?? ""
                throw error(
                    "\"\(name)\" has no element with the number \(number)\(numbers)",
                    at: position,
                    code: .unknownDependency
                )
            }
            return .element(entry, UInt32(element))
        }
    }

    /// An error about a bare number as a dependency.
    private func bareNumber(_ number: String, at node: Int) -> GraphFileError {
        let number = number.hasSuffix(".0") ? String(number.dropLast(2)) : number
        return error(
            "\(number) is ambiguous: give the name of an operation in this file, or \"\(number)/*\" for all operations of the "
                + "earlier job \(number)",
            at: node,
            code: .unknownDependency
        )
    }

    /// The template and the queue of an operation.
    private mutating func shared(by kind: Work.Kind, _ settings: OperationSettings?) -> (template: Int, queue: Int) {
        // Most operations are like the previous operation, and comparing the work is cheaper than creating a template.
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

extension Dependency {
    /// Whether the target belongs to the same submission.
    fileprivate var isInside: Bool { target.entry != nil }
}
