@_spi(Baton) import BatonClient
@_spi(Baton) import BatonDocuments
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWire

/// Prints the output of a job's operations up to now, and then new output, also of operations that start later.
///
/// The events of the job say which attempts begin and end. The output of an ended attempt comes from the record, in pages; that
/// of a running attempt comes from its worker, as far as it has got.
struct JobOutputFollower {
    /// What is printed.
    enum Mode {
        /// Lines as they come.
        case lines
        /// The output of operations that have failed, once they have.
        case failures(lastAttempt: Bool)
    }

    /// A running attempt.
    private struct Running {
        var attempt: UInt32
        /// How many bytes of each stream have been printed.
        var printed: [OutputStream: UInt64] = [:]
    }

    private static let eventsOfPage: UInt32 = 1000
    /// The most pages of events before the running attempts have their turn.
    private static let pagesOfTurn = 20

    private let target: OutputTarget
    private let mode: Mode
    private let selection: OutputSelection
    private let connection: ClientConnection
    private let missing: MissingOutput
    /// What prints, with what it has printed of lines that have not ended.
    private(set) var printer: OutputPrinter
    /// The number of the last event that was looked at.
    private var lastEvent: UInt64 = 0
    private var shown = ShownAttempts()
    private var running: [UInt32: Running] = [:]

    /// - Parameters:
    ///   - selection: the streams to print.
    ///   - missing: what is told of output that is missing.
    init(
        of target: OutputTarget,
        _ mode: Mode,
        selection: OutputSelection,
        printer: OutputPrinter,
        missing: MissingOutput,
        on connection: ClientConnection
    ) {
        self.target = target
        self.mode = mode
        self.selection = selection
        self.printer = printer
        self.missing = missing
        self.connection = connection
    }

    /// Prints the output until all operations of the target have finished.
    ///
    /// - Parameter waiter: the operation that waits with this command; nil outside an operation.
    mutating func followToEnd(by waiter: OperationID?) async throws {
        try await begin()
        while true {
            let progress = try await connection.progress(
                of: target.addresses,
                by: waiter,
                atMost: OutputFollower.interval
            )
            if progress.isFinished { break }
            try await advance()
        }
        try await finish()
    }

    /// Prints the output up to now.
    mutating func begin() async throws {
        lastEvent = try await newestEvent()
        var present = selection
        if case .failures(let isLast) = mode {
            present.isFailedOnly = true
            present.isLastOnly = isLast || present.isLastOnly
        }
        try await OutputPages(present, on: connection).read { page in
            for piece in page.pieces { shown.insert(piece.operation, piece.attempt) }
            var found: [OutputPage.Execution] = []
            try await printer.print(page, of: present) { _, execution in found.append(execution) }
            for execution in found { try await noteExecution(execution) }
            try printer.lines.flush()
        }
        // What comes from now on is printed whole.
        if case .lines = mode { printer.mostLines = nil }
        try await readRunning()
    }

    /// Prints what has come since.
    mutating func advance() async throws {
        for _ in 0..<Self.pagesOfTurn {
            guard try await readEvents(atMost: .zero) else { break }
        }
        try await readRunning()
    }

    /// Prints what has come since, up to the present moment.
    mutating func finish() async throws {
        let newest = try await newestEvent()
        while lastEvent < newest { _ = try await readEvents(atMost: OutputFollower.interval) }
    }

    private func newestEvent() async throws -> UInt64 {
        try await connection.events(since: nil, atMost: .zero, timeout: GlobalOptions.answerTimeout).last
    }

    /// Notes an operation that executed at the beginning; of a stream's end, only the wanted lines are printed.
    private mutating func noteExecution(_ execution: OutputPage.Execution) async throws {
        guard case .lines = mode else { return }
        var printed: [OutputStream: UInt64] = [:]
        if selection.lines != nil {
            for stream in OutputStream.allCases where selection.wants(stream) {
                let operation = OperationID(job: target.job, index: execution.operation)
                let source = OutputSource(operation: operation, attempt: execution.attempt, stream: stream)
                printed[stream] = try await Self.unlessAway { try await printer.start(of: source) } ?? 0
            }
        }
        running[execution.operation] = Running(attempt: execution.attempt, printed: printed)
    }

    // MARK: - Events

    /// Reads a page of events, and prints the output of the attempts that have ended.
    ///
    /// - Parameter time: how long to wait for the first event.
    /// - Returns: whether there may be more events.
    private mutating func readEvents(atMost time: Duration) async throws -> Bool {
        let page = try await connection.events(
            since: lastEvent,
            limit: Self.eventsOfPage,
            atMost: time,
            of: EventSelection(jobs: [target.job]),
            timeout: GlobalOptions.answerTimeout
        )
        if page.missed > 0 {
            missing.note(
                "\(page.missed) events are no longer kept. Output of operations that ended meanwhile may be missing here; see "
                    + "\"baton log \(target.job)\"."
            )
        }
        let isLast = page.last <= lastEvent
        lastEvent = max(lastEvent, page.last)
        var ended: [UInt32: UInt32] = [:]
        var begun: [(UInt32, UInt32)] = []
        var finished: [UInt32] = []
        for line in page.lines.split(separator: UInt8(ascii: "\n")) {
            guard let change = OutputChange(line), target.contains(change.operation.index) else { continue }
            let index = change.operation.index
            switch mode {
            case .lines:
                if change.endedAttempts > 0 { ended[index] = change.endedAttempts }
                if let attempt = change.begunAttempt { begun.append((index, attempt)) }
                if change.isFinished { finished.append(index) }
            case .failures:
                if change.isFinished, change.hasFailed { ended[index] = change.endedAttempts }
            }
        }
        try await printEnded(ended)
        for index in finished { printer.lines.forget(OperationID(job: target.job, index: index)) }
        for (index, attempt) in begun where attempt > ended[index] ?? 0 && !shown.contains(index, attempt) {
            // An attempt that began just before the first look has been printed in part.
            if running[index]?.attempt != attempt { running[index] = Running(attempt: attempt) }
        }
        return !isLast
    }

    /// Prints the output of attempts that have ended, as far as it has not been printed yet.
    ///
    /// - Parameter ended: the last ended attempts of operations.
    private mutating func printEnded(_ ended: [UInt32: UInt32]) async throws {
        guard !ended.isEmpty else { return }
        var wanted = selection
        wanted.operations = OutputTarget.merged(ended.keys.map { $0..<$0 + 1 })
        switch mode {
        case .lines: (wanted.lines, wanted.isLastOnly) = (nil, false)
        case .failures(let isLast): wanted.isLastOnly = isLast || wanted.isLastOnly
        }
        try await OutputPages(wanted, on: connection).read { page in
            var new = page
            new.executions = []
            new.pieces.removeAll { shown.contains($0.operation, $0.attempt) }
            for piece in new.pieces {
                let known = running[piece.operation].flatMap { $0.attempt == piece.attempt ? $0 : nil }
                try await printer.printEnded(piece, of: target.job, after: known?.printed[piece.stream] ?? 0)
            }
            for piece in new.pieces { shown.insert(piece.operation, piece.attempt) }
        }
        for (index, attempt) in ended {
            guard let known = running[index], known.attempt <= attempt else { continue }
            // A lost attempt leaves nothing in the record, and perhaps the beginning of a line here.
            for stream in OutputStream.allCases {
                try await printer.lines.end(source(index, known.attempt, stream))
            }
            running[index] = nil
        }
        try printer.lines.flush()
    }

    // MARK: - Running attempts

    /// Prints what the running attempts have printed since.
    private mutating func readRunning() async throws {
        for index in running.keys.sorted() {
            guard var known = running[index] else { continue }
            for stream in OutputStream.allCases where selection.wants(stream) {
                let source = source(index, known.attempt, stream)
                let start = known.printed[stream] ?? 0
                if let printed = try await Self.unlessAway({ try await printer.printPresent(source, from: start) }) {
                    known.printed[stream] = printed
                }
            }
            running[index] = known
        }
        try printer.lines.flush()
    }

    private func source(_ index: UInt32, _ attempt: UInt32, _ stream: OutputStream) -> OutputSource {
        OutputSource(operation: OperationID(job: target.job, index: index), attempt: attempt, stream: stream)
    }

    /// The result of a request to a worker; nil if the worker is away for the moment, or has ended the attempt.
    private static func unlessAway<Value>(_ body: () async throws -> Value) async throws -> Value? {
        do {
            return try await body()
        } catch let error as ClientError where error.refusal?.code == .notFound || error.refusal?.code == .unavailable {
            return nil
        }
    }
}
