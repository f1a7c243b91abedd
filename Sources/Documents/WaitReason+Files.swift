@_spi(Baton) public import BatonOperations

@_spi(Baton) extension WaitReason {
    /// Files that the operation needs have no copy any more, and the operation that made them runs again (FI6).
    ///
    /// - Parameters:
    ///   - operation: the operation that made the files.
    ///   - name: its name, if it has one.
    ///   - count: the number of its files without a copy.
    ///   - loss: how the last copy was lost, if that is known.
    ///   - others: the number of further operations of which files have no copy.
    ///   - isExecuting: whether it executes again already.
    ///   - reasons: what keeps it from executing.
    ///   - isPlural: whether the sentence is about several operations.
    public static func files(
        of operation: OperationID,
        name: String? = nil,
        count: Int,
        loss: FileLoss? = nil,
        others: Int = 0,
        isExecuting: Bool = false,
        waitsFor reasons: [WaitReason] = [],
        isPlural: Bool = false
    ) -> WaitReason {
        let waits = isPlural ? "Each waits for" : "It waits for"
        let files = count == 1 ? "1 file" : "\(count) files"
        let gone = loss.map { "whose last copy was \($0.phrase)" } ?? "of which no worker has a copy"
        let label = name.map { "\(operation) (\($0.asShown))" } ?? operation.description
        var sentence = "\(waits) \(files), \(gone): \(label) \(isExecuting ? "runs again" : "is to run again")."
        if others == 1 { sentence += " So does another operation." }
        if others > 1 { sentence += " So do \(others) other operations." }
        var reason = WaitReason(.files, sentence)
        reason.operation = operation.description
        reason.worker = loss?.worker
        reason.waitsFor = reasons
        return reason
    }
}

@_spi(Baton) extension WaitReason {
    /// The operation is at a worker that fetches files for it, and takes no slot meanwhile (FI4).
    ///
    /// - Parameters:
    ///   - worker: the worker.
    ///   - count: the number of files that are not there.
    ///   - bytes: the bytes of all files that the operation needs.
    ///   - present: the bytes of these that are there.
    ///   - isPlural: whether the sentence is about several operations.
    public static func fetching(
        worker: String,
        count: Int,
        bytes: Int64,
        present: Int64,
        isPlural: Bool = false
    ) -> WaitReason {
        let files = count == 1 ? "1 file" : "\(count) files"
        let total = ByteSize.roughText(of: bytes)
        let sentence =
            if isPlural {
                "Each is at a worker that fetches files for it; of the first, \(worker.asShown) fetches \(files)."
            } else if present > 0 {
                "It is at the worker \(worker.asShown), which fetches \(files) for it; "
                    + "\(ByteSize.roughText(of: present)) of \(total) are there."
            } else {
                "It is at the worker \(worker.asShown), which fetches \(files) (\(total)) for it."
            }
        var reason = WaitReason(.files, sentence)
        reason.worker = worker
        return reason
    }

    /// Workers have no room for files of the operation, within their limits.
    ///
    /// - Parameters:
    ///   - worker: one of the workers.
    ///   - reason: what finds no room there, in a sentence.
    ///   - others: the number of further workers without room.
    public static func noRoom(worker: String, reason: String, others: Int) -> WaitReason {
        let rest =
            switch others {
            case 0: ""
            case 1: " Another worker has no room, either."
            default: " \(others) other workers have no room, either."
            }
        var waitReason = WaitReason(
            .files,
            "The worker \(worker.asShown) has no room for its files, and is tried again periodically: \(reason)\(rest) "
                + adviceAboutRoom
        )
        waitReason.worker = worker
        return waitReason
    }

    /// What to do if a worker has no room for files.
    public static let adviceAboutRoom =
        "To make room, delete jobs whose files nobody needs (\"baton delete\"), keep files for a shorter time (--keep-files), or start a "
        + "worker with a larger limit (--files-limit)."

    /// The files of the operation are larger than workers may keep.
    ///
    /// - Parameters:
    ///   - bytes: the bytes of the files.
    ///   - limit: the largest limit of these workers.
    ///   - worker: the worker with this limit.
    ///   - able: a busy worker that may keep the files; nil if no connected worker may.
    ///   - isPlural: whether the sentence is about several operations.
    public static func largeFiles(
        bytes: Int64,
        limit: Int64,
        worker: String,
        able: String?,
        isPlural: Bool = false
    ) -> WaitReason {
        // Rough numbers may look alike.
        let areClose = ByteSize.roughText(of: bytes) == ByteSize.roughText(of: limit)
        func text(_ bytes: Int64) -> String { areClose ? ByteSize.text(of: bytes) : ByteSize.roughText(of: bytes) }
        let size = text(bytes)
        let files = "The files that \(isPlural ? "the first one" : "it") needs have \(size)"
        let most = "\(text(limit)) at the worker \(worker.asShown)"
        let sentence =
            if let able {
                "\(files), more than the free workers may keep (worker --files-limit, at most \(most)); the worker \(able.asShown) may "
                    + "keep them, and has no slot for it now."
            } else {
                "\(files), more than any connected worker that suits it may keep: the largest limit is \(most). "
                    + "Start a worker with a larger one (worker --files-limit)."
            }
        var reason = WaitReason(.files, sentence)
        reason.worker = able ?? worker
        return reason
    }

    /// The workers fetch files for as many operations as they may at once.
    ///
    /// - Parameter operations: the number of these operations.
    public static func fetches(operations: Int) -> WaitReason {
        let others = operations == 1 ? "another operation" : "\(operations) other operations"
        return WaitReason(
            .files,
            "The workers fetch files for \(others), which is the most at a time; wait for one to start."
        )
    }
}
