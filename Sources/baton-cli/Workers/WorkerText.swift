@_spi(Baton) import BatonArguments
@_spi(Baton) import BatonDocuments
@_spi(Baton) import BatonOperations

/// Text about one worker: its state, its operations, its last attempts.
enum WorkerText {
    /// The lines of the worker itself.
    static func lines(of document: WorkerDocument) -> String {
        let worker = document.worker
        var lines = KeyValueLines()
        lines.append("worker", worker.worker)
        lines.append("state", worker.state.rawValue + (worker.reason.map { ": \($0)" } ?? ""))
        lines.append("left", worker.leftAt?.localText)
        lines.append("host", worker.host.isEmpty ? nil : "\(worker.host), process \(worker.processID)")
        lines.append("data", document.dataAddress)
        guard worker.keeper != true else {
            lines.append("keeps", "files, as a part of the coordinator; it runs nothing")
            return lines.text
        }
        lines.append("slots", worker.slots == 0 ? nil : "\(worker.slots)")
        lines.append("executing", "\(worker.executing)")
        let counts = "\(document.succeeded) succeeded, \(document.unsuccessful) did not"
        lines.append("ended", document.since.map { "\(counts), since \($0.localText)" } ?? "unknown")
        return lines.text
    }

    /// The operations that the worker executes; nil if there are none.
    static func executing(in document: WorkerDocument) -> TextTable? {
        guard !document.executing.isEmpty else { return nil }
        var table = TextTable([.init("EXECUTING"), .init("ATTEMPT", alignment: .right), .init("STARTED")])
        for execution in document.executing {
            table.append([
                .init("\(execution.operation)"), .init("\(execution.attempt)"),
                .init(execution.startedAt?.localText ?? "-"),
            ])
        }
        return table
    }

    /// The operations for which the worker fetches files; nil if there are none.
    static func fetching(in document: WorkerDocument) -> TextTable? {
        guard let fetching = document.fetching, !fetching.isEmpty else { return nil }
        var table = TextTable([
            .init("FETCHES FOR"), .init("FILES", alignment: .right), .init("THERE", alignment: .right),
            .init("OF", alignment: .right),
        ])
        for fetch in fetching {
            table.append([
                .init("\(fetch.operation)"), .init("\(fetch.files)"), .init(ByteSize.roughText(of: fetch.present)),
                .init(ByteSize.roughText(of: fetch.bytes)),
            ])
        }
        return table
    }

    /// The attempts that ended last; nil if there are none.
    static func ended(in document: WorkerDocument) -> TextTable? {
        guard !document.ended.isEmpty else { return nil }
        var table = TextTable([.init("ENDED"), .init("END"), .init("TIME", alignment: .right), .init("AT")])
        for end in document.ended {
            let isGood = end.end == .exit && end.exitStatus == 0
            table.append([
                .init("\(end.operation)"), .init(words(for: end), tone: isGood ? .good : .bad),
                .init(Duration.microseconds(Int64(min(max(end.seconds, 0), 1e12) * 1_000_000)).roughText),
                .init(end.endedAt.localText),
            ])
        }
        return table
    }

    private static func words(for end: WorkerDocument.Ended) -> String {
        switch end.end {
        case .exit: "status \(end.exitStatus ?? 0)"
        case .signal: "signal \(end.signal.map { SignalName.text(of: $0) } ?? "")"
        case .launch: "not started"
        case .result: "unusable result"
        case .files: "unkept files"
        case .givenBack: "given back"
        case .timeout, .memory, .cancelled, .error, .lost, .stopped: end.end.rawValue
        }
    }
}
