@_spi(Baton) import BatonOperations

@_spi(Baton) extension HistorySelection: WireCodable {
    static let minimumLength = 3

    func write(to writer: inout ByteWriter) {
        writer.value(job)
        writer.varint(from)
        writer.varint(limit)
    }

    init(from reader: inout ByteReader) throws(WireError) {
        self.init(
            job: try reader.value(),
            from: try reader.varint("the first operation"),
            limit: try reader.varint("the limit")
        )
    }
}

@_spi(Baton) extension HistoryPage: WireCodable {
    static let minimumLength = 22

    func write(to writer: inout ByteWriter) {
        writer.value(job)
        writer.optional(name) { $0.text($1) }
        writer.text(coordinator)
        writer.text(version)
        writer.value(submittedAt)
        writer.optional(finishedAt)
        writer.value(moment)
        writer.value(counts)
        writer.varint(from)
        writer.list(entries)
        writer.list(operations)
        writer.list(attempts)
        writer.list(workers) { writer, worker in
            writer.text(worker.name)
            writer.varint(worker.slots)
        }
        writer.list(criticalPath) { $0.varint($1) }
        let hasTransfers = !fetches.isEmpty || !files.isEmpty
        writer.byte((next == nil ? 0 : Self.hasNext) | (hasTransfers ? Self.hasTransfers : 0))
        if let next { writer.varint(next) }
        if hasTransfers {
            writer.list(fetches)
            writer.list(files)
        }
    }

    /// The bits of the last byte but those that follow: whether another page follows, and whether files were moved.
    ///
    /// A client of Baton 0.1.0 knows the first bit alone.
    private static let hasNext: UInt8 = 1
    private static let hasTransfers: UInt8 = 2

    init(from reader: inout ByteReader) throws(WireError) {
        self.init(
            job: try reader.value(),
            name: try reader.optional("the job's name") { reader throws(WireError) in try reader.text("the job's name")
            },
            coordinator: try reader.text("the coordinator's address"),
            version: try reader.text("the coordinator's version"),
            submittedAt: try reader.value(),
            finishedAt: try reader.optional("the end of the job"),
            moment: try reader.value(),
            counts: try reader.value(),
            from: try reader.varint("the first operation")
        )
        entries = try reader.list("the entries")
        operations = try reader.list("the operations")
        attempts = try reader.list("the attempts")
        workers = try reader.list("the workers", minimumLength: 2) { reader throws(WireError) in
            HistoryWorker(name: try reader.text("a worker's name"), slots: try reader.varint("a worker's slots"))
        }
        criticalPath = try reader.list("the critical path", minimumLength: 1) { reader throws(WireError) in
            try reader.varint("an operation of the critical path")
        }
        let present = try reader.byte("what follows the history")
        guard present & ~(Self.hasNext | Self.hasTransfers) == 0 else {
            throw reader.unknown("what follows the history", present)
        }
        if present & Self.hasNext != 0 { next = try reader.varint("the next operation") }
        if present & Self.hasTransfers != 0 {
            fetches = try reader.list("the fetches")
            files = try reader.list("the files of attempts")
            guard !fetches.isEmpty || !files.isEmpty else {
                throw reader.malformed("the files of attempts", "are none")
            }
        }
    }
}

@_spi(Baton) extension HistoryFetch: WireCodable {
    static let minimumLength = 6

    func write(to writer: inout ByteWriter) {
        writer.varint(operation)
        writer.varint(attempt)
        writer.value(fetch.sentAt)
        writer.value(fetch.arrivedAt)
        writer.varint(fetch.files)
        writer.varint(max(0, fetch.bytes))
    }

    init(from reader: inout ByteReader) throws(WireError) {
        self.init(
            operation: try reader.varint("the operation of a fetch"),
            attempt: try reader.varint("the attempt of a fetch"),
            fetch: FetchRecord(
                sentAt: try reader.value(),
                arrivedAt: try reader.value(),
                files: try reader.varint("the number of fetched files"),
                bytes: try reader.varint("the bytes of fetched files")
            )
        )
    }
}

@_spi(Baton) extension HistoryFiles: WireCodable {
    static let minimumLength = 4

    func write(to writer: inout ByteWriter) {
        writer.varint(operation)
        writer.varint(attempt)
        writer.varint(count)
        writer.varint(max(0, bytes))
    }

    init(from reader: inout ByteReader) throws(WireError) {
        self.init(
            operation: try reader.varint("the operation of files"),
            attempt: try reader.varint("the attempt of files"),
            count: try reader.varint("the number of an attempt's files"),
            bytes: try reader.varint("the bytes of an attempt's files")
        )
    }
}

@_spi(Baton) extension HistoryEntry: WireCodable {
    static let minimumLength = 7

    func write(to writer: inout ByteWriter) {
        writer.varint(first)
        writer.varint(count)
        writer.optional(name) { $0.text($1) }
        writer.text(queue)
        switch numbering {
        case .none: writer.byte(0)
        case .steps(let first, let step):
            writer.byte(1)
            writer.zigzag(first)
            writer.zigzag(step)
        case .each(let position, let numbers):
            writer.byte(2)
            writer.varint(position)
            writer.list(numbers) { $0.zigzag($1) }
        }
        writer.list(dependencies)
        writer.list(changes) { writer, change in
            writer.varint(change.operation)
            writer.list(change.dependencies)
        }
    }

    init(from reader: inout ByteReader) throws(WireError) {
        self.init(
            first: try reader.varint("the first operation of an entry"),
            count: try reader.varint("the number of operations of an entry"),
            name: try reader.optional("an entry's name") { reader throws(WireError) in
                try reader.text("an entry's name")
            },
            queue: try reader.text("an entry's queue")
        )
        switch try reader.byte("the form of an array's numbers") {
        case 0: break
        case 1:
            numbering = .steps(
                first: try reader.zigzag("the first number of an array"),
                step: try reader.zigzag("the step of an array")
            )
        case 2:
            let position: UInt32 = try reader.varint("a position in an array")
            let numbers = try reader.list("an array's numbers", minimumLength: 1) { reader throws(WireError) in
                try reader.zigzag("a number of an array", as: Int64.self)
            }
            numbering = .each(position: position, numbers)
        case let other: throw reader.unknown("the form of an array's numbers", other)
        }
        dependencies = try reader.list("the dependencies")
        changes = try reader.list("the changed dependencies", minimumLength: 2) { reader throws(WireError) in
            Change(
                operation: try reader.varint("an operation with dependencies of its own"),
                dependencies: try reader.list("the dependencies")
            )
        }
        guard count > 0 else { throw reader.malformed("an entry", "has no operations") }
    }
}

@_spi(Baton) extension HistoryDependency: WireCodable {
    static let minimumLength = 3

    /// The bit of an element-wise dependency, in the byte of the condition.
    private static let elementwise: UInt8 = 0x10

    func write(to writer: inout ByteWriter) {
        writer.byte(condition.rawValue | (isElementwise ? Self.elementwise : 0))
        writer.varint(first)
        writer.varint(count)
    }

    init(from reader: inout ByteReader) throws(WireError) {
        let form = try reader.byte("a dependency's condition")
        guard let condition = DependencyCondition(rawValue: form & ~Self.elementwise) else {
            throw reader.unknown("a dependency's condition", form)
        }
        self.init(
            first: try reader.varint("the first operation of a dependency"),
            count: try reader.varint("the number of operations of a dependency"),
            condition: condition,
            isElementwise: form & Self.elementwise != 0
        )
    }
}

@_spi(Baton) extension OperationHistory: WireCodable {
    static let minimumLength = 12

    func write(to writer: inout ByteWriter) {
        writer.varint(first)
        writer.varint(count)
        writer.choice(state)
        writer.optional(outcome) { $0.choice($1) }
        writer.optional(reason) { $0.text($1.rawValue) }
        writer.flag(isSkippedAfterFailure)
        writer.optional(exitStatus) { $0.zigzag($1) }
        writer.optional(signal) { $0.zigzag($1) }
        writer.varint(attempt)
        writer.optional(worker) { $0.text($1) }
        writer.optional(readyAt)
        writer.optional(startedAt)
        writer.optional(finishedAt)
    }

    init(from reader: inout ByteReader) throws(WireError) {
        self.init(
            first: try reader.varint("the first operation"),
            count: try reader.varint("the number of operations"),
            state: try reader.choice("a state")
        )
        outcome = try reader.optional("an outcome") { reader throws(WireError) in try reader.choice("an outcome") }
        reason = try reader.optional("a reason") { reader throws(WireError) in try reader.reasonCode() }
        isSkippedAfterFailure = try reader.flag("whether an operation was skipped after a failure")
        exitStatus = try reader.optional("an exit status") { reader throws(WireError) in
            try reader.zigzag("an exit status")
        }
        signal = try reader.optional("a signal") { reader throws(WireError) in try reader.zigzag("a signal") }
        attempt = try reader.varint("the number of an attempt")
        worker = try reader.optional("a worker") { reader throws(WireError) in try reader.text("a worker") }
        readyAt = try reader.optional("the moment of readiness")
        startedAt = try reader.optional("the start of an attempt")
        finishedAt = try reader.optional("the end of an operation")
        guard count > 0 else { throw reader.malformed("an operation's history", "is that of no operation") }
    }
}

@_spi(Baton) extension EarlierAttempt: WireCodable {
    static let minimumLength = 9

    func write(to writer: inout ByteWriter) {
        writer.varint(operation)
        writer.varint(attempt)
        writer.optional(worker) { $0.text($1) }
        writer.optional(startedAt)
        writer.value(endedAt)
        writer.text(reason.rawValue)
        writer.optional(exitStatus) { $0.zigzag($1) }
        writer.optional(signal) { $0.zigzag($1) }
        writer.flag(wasStopped)
    }

    init(from reader: inout ByteReader) throws(WireError) {
        self.init(
            operation: try reader.varint("the operation of an attempt"),
            attempt: try reader.varint("the number of an attempt"),
            worker: try reader.optional("a worker") { reader throws(WireError) in try reader.text("a worker") },
            startedAt: try reader.optional("the start of an attempt"),
            endedAt: try reader.value(),
            reason: try reader.reasonCode()
        )
        exitStatus = try reader.optional("an exit status") { reader throws(WireError) in
            try reader.zigzag("an exit status")
        }
        signal = try reader.optional("a signal") { reader throws(WireError) in try reader.zigzag("a signal") }
        wasStopped = try reader.flag("whether an attempt was stopped with its worker")
    }
}

extension ByteReader {
    /// Reads the kind of a reason.
    fileprivate mutating func reasonCode() throws(WireError) -> Reason.Code {
        let word = try text("a reason", atMost: 100)
        guard let code = Reason.Code(rawValue: word) else {
            throw malformed("a reason", "is \(word.asShown), which this build does not know")
        }
        return code
    }
}
