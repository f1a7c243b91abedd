@_spi(Baton) extension Submission {
    /// The hash that distinguishes submissions with the same key (D13).
    ///
    /// The digest is equal for equal operations in the same order with the same options and queues, from any submitter and in
    /// all versions of Baton.
    ///
    /// Dependencies count in the submitted form: a dependency by name differs from a dependency by index.
    ///
    /// - Complexity: O(size of the submission); an array by numbers counts as one operation, an array over lines with its
    ///   lines.
    public var digest: UInt64 {
        var digest = Digest()
        digest.add(name)
        digest.add(queueChanges.count)
        for change in queueChanges { digest.add(change) }
        digest.add(queueNames)
        digest.add(templates.count)
        for template in templates { digest.add(template) }
        digest.add(entries.count)
        // Uses positions: a copy of each of a million entries would take longer than all other work here.
        for position in entries.indices { digest.add(entries[position]) }
        // A repeated submission comes from another span, and may name a later job to reuse: the operations are the same.
        var settings = settings.withoutTraceParent
        settings.reuse = nil
        if !settings.isEmpty { digest.add(settings) }
        if isOpen { digest.add(1) }
        if let sent { digest.add(sent) }
        return digest.value
    }

    /// Whether this and another submission with the same key are known to be different.
    ///
    /// - Parameter other: the digest of the other submission; nil if it has no key.
    public func differs(fromDigest other: UInt64?) -> Bool {
        guard let keyDigest, let other else { return false }
        return keyDigest != other
    }
}

@_spi(Baton) extension RetrySelection {
    /// The hash that distinguishes retries from each other, and from submissions, with the same key.
    ///
    /// The digest is equal for the same addresses and groups, in any order, with the same options. Addresses count in the form of
    /// the request: a name differs from an index. The selection's own operations do not count.
    ///
    /// - Parameters:
    ///   - job: the job to retry.
    ///   - addresses: the operations of the request.
    ///   - groups: the numbers of groups of failures of the request.
    ///   - changes: the changes of the operations.
    /// - Complexity: O(n log n) for n addresses and groups, and O(size of the graph of the changes).
    public func digest(
        of job: JobNumber,
        _ addresses: [Address],
        groups: [UInt32],
        changing changes: RetryChanges = RetryChanges()
    ) -> UInt64 {
        var digest = Digest()
        // The digest of a submission begins with 0 or 1, for a job without or with a name.
        digest.add(2)
        digest.add(job.rawValue)
        digest.add(Set(addresses.map(\.description)).sorted())
        let groups = Set(groups).sorted()
        digest.add(groups.count)
        for group in groups { digest.add(group) }
        digest.add((includesCancelled ? 1 : 0) | (includesDependents ? 2 : 0))
        guard !changes.isEmpty else { return digest.value }
        digest.add(changes.memory.map { String($0) })
        digest.add(changes.memoryUpTo.map { String($0) })
        digest.add(changes.timeout)
        digest.add(changes.timeoutUpTo)
        digest.add(changes.graph.map { String($0.digest) })
        return digest.value
    }
}

@_spi(Baton) extension Refusal {
    /// Refuses another submission under a key in use.
    public static func otherSubmission(withKey key: String, ofJob job: JobNumber) -> Refusal {
        Refusal(
            .keyConflict,
            "The key \"\(key.prefix(80))\" belongs to job \(job), which was submitted with something else. Choose another key, "
                + "or submit the same as before to get the number of that job."
        )
    }

    /// Refuses an addition under the key of a submission that is neither a job nor refused yet.
    public static func submissionUnderWay(withKey key: String) -> Refusal {
        Refusal(
            .keyConflict,
            "The key \"\(key.prefix(80))\" belongs to a submission that is still being accepted. Choose another key."
        )
    }

    /// Refuses another addition under a key in use.
    public static func otherAddition(withKey key: String, to job: JobNumber) -> Refusal {
        Refusal(
            .keyConflict,
            "The key \"\(key.prefix(80))\" belongs to other operations that were added to job \(job). Choose another key, or add the "
                + "same as before to get their place."
        )
    }
}

/// A hash over values that, unlike the hash of `Hasher`, does not depend on the process.
private struct Digest {
    private(set) var value: UInt64 = 0x243F_6A88_85A3_08D3

    mutating func add(_ number: UInt64) {
        value = (value ^ number) &* 0x9E37_79B9_7F4A_7C15
        value ^= value >> 32
    }

    mutating func add(_ number: some BinaryInteger) {
        add(UInt64(truncatingIfNeeded: number))
    }

    mutating func add(_ text: String) {
        var text = text
        text.withUTF8 { add(UnsafeRawBufferPointer($0)) }
    }

    mutating func add(_ bytes: [UInt8]) {
        bytes.withUnsafeBytes { add($0) }
    }

    private mutating func add(_ bytes: UnsafeRawBufferPointer) {
        add(bytes.count)
        var position = 0
        while position + 8 <= bytes.count {
            add(UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: position, as: UInt64.self)))
            position += 8
        }
        var rest: UInt64 = 0
        while position < bytes.count {
            rest = rest << 8 | UInt64(bytes[position])
            position += 1
        }
        add(rest)
    }

    mutating func add(_ texts: [String]) {
        add(texts.count)
        for text in texts { add(text) }
    }

    mutating func add(_ commands: [[String]]) {
        add(commands.count)
        for command in commands { add(command) }
    }

    mutating func add(_ text: String?) {
        add(text == nil ? 0 : 1)
        if let text { add(text) }
    }

    mutating func add(_ duration: Duration?) {
        add(duration == nil ? 0 : 1)
        if let duration { add(duration.microseconds) }
    }

    mutating func add(_ change: QueueChange) {
        add(change.name)
        switch change.maxConcurrent {
        case nil: add(0)
        case .unlimited: add(1)
        case .atMost(let limit):
            add(2)
            add(limit)
        }
        add(change.qualityOfService?.description)
        add(change.isSuspended.map { $0 ? 2 : 1 } ?? 0)
        add(change.total.map { String($0) })
        if let rate = change.startRate { add(rate.description) }
    }

    mutating func add(_ template: Template) {
        add(template.work)
        add(template.retries)
        add(template.retryDelay)
        add(template.restart.description)
        add(template.qualityOfService?.description)
        add(template.onFinish ?? [])
        add(laterOptions: Self.laterOptions.template.settings(of: template))
        add(laterOptions: Self.laterOptions.work.settings(of: template.work))
    }

    /// The options since version 2 of the option set.
    ///
    /// The options of version 1 have a fixed place in the digest, whether set or not, so that digests in older records stay
    /// valid. Later options count only where they are set.
    private static let laterOptions = (
        work: Work.options.introduced(after: 1),
        template: Template.options.introduced(after: 1),
        entry: Entry.options.introduced(after: 1)
    )

    private mutating func add(laterOptions settings: [(option: OperationOption, value: OptionValue)]) {
        for (option, value) in settings {
            add(option.number)
            add(value)
        }
    }

    private mutating func add(_ value: OptionValue) {
        switch value {
        case .flag(let flag): add(flag ? 1 : 0)
        case .number(let number): add(number)
        case .duration(let duration): add(duration)
        case .forever: add(nil as Duration?)
        case .text(let text): add(text)
        case .data(let bytes): add(bytes)
        case .texts(let texts): add(texts)
        case .variables(let variables): add(variables)
        case .places(let places): add(places)
        case .thousandths(let number), .bytes(let number): add(number)
        case .amounts(let amounts): add(amounts.mapValues { String($0) })
        }
    }

    private mutating func add(_ variables: [String: String]) {
        add(variables.count)
        for (name, value) in variables.sorted(by: { $0.key < $1.key }) {
            add(name)
            add(value)
        }
    }

    private mutating func add(_ work: Work) {
        switch work.kind {
        case .noOperation: add(0)
        case .commands(let commands):
            add(1)
            add(commands)
        case .typed(let type, let argument):
            add(2)
            add(type)
            add(argument)
        }
        add(work.environment)
        add(work.directory)
        add(work.standardInput)
        add(work.timeout)
        switch work.gracePeriod {
        case .after(let duration): add(duration)
        case .forever: add(nil as Duration?)
        }
    }

    mutating func add(_ settings: JobSettings) {
        add(settings.maxFailures ?? 0)
        for moment in JobHooks.Moment.allCases { add(settings.hooks?.commands[moment] ?? []) }
        add(settings.hooks?.environment ?? [:])
        add(settings.hooks?.directory)
        add(settings.hooks?.timeout)
        if !settings.tags.isEmpty { add(settings.tags) }
        if settings.cancelRunning { add("cancelRunning") }
        if let deadline = settings.deadline { add(deadline) }
        if let keepFiles = settings.keepFiles {
            add("keepFiles")
            add(keepFiles)
        }
        if let filesLimit = settings.filesLimit {
            add("filesLimit")
            add(filesLimit)
        }
    }

    mutating func add(_ sent: SentFiles) {
        add(SentFiles.name)
        add(sent.entry)
        add(sent.files.count)
        for file in sent.files {
            add(file.path)
            add(file.mode)
            add(file.digest.bytes)
        }
    }

    mutating func add(_ entry: Entry) {
        add(entry.name)
        add(entry.template)
        add(entry.queue)
        add(entry.priority.rawValue)
        add(entry.delay)
        add((entry.isHeld ? 1 : 0) | (entry.isBarrier ? 2 : 0) | (entry.isCancelled ? 4 : 0))
        add(entry.dependencies.count)
        for dependency in entry.dependencies {
            add(dependency.condition.rawValue)
            switch dependency.target {
            case .entry(let position): add(position)
            case .existing(let address): add(address.description)
            case .element(let position, let element):
                add("element")
                add(position)
                add(element)
            case .elements(let position):
                add("elements")
                add(position)
            case .existingElements(let address):
                add("elements")
                add(address.description)
            }
        }
        switch entry.array {
        case nil: add(0)
        case .numbers(let first, let step, let count):
            add(1)
            add(first)
            add(step)
            add(count)
        case .lines(let lines):
            add(2)
            add(lines)
        case .picked(let elements):
            add(3)
            add(elements.count)
            for element in elements {
                add(element.number)
                add(element.item)
            }
        }
        if !Self.laterOptions.entry.rows.isEmpty { add(laterOptions: Self.laterOptions.entry.settings(of: entry)) }
    }
}
