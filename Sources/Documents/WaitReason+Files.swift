@_spi(Baton) public import BatonOperations

@_spi(Baton) extension WaitReason {
    /// Files that the operation needs have no copy any more, and the operation that made them runs again (FI6).
    ///
    /// - Parameters:
    ///   - operation: the operation that made the files.
    ///   - name: its name, if it has one.
    ///   - count: the number of its files without a copy.
    ///   - lostWith: the worker that had the last copy, if that is known.
    ///   - others: the number of further operations of which files have no copy.
    ///   - isExecuting: whether it executes again already.
    ///   - reasons: what keeps it from executing.
    ///   - isPlural: whether the sentence is about several operations.
    public static func files(
        of operation: OperationID,
        name: String? = nil,
        count: Int,
        lostWith worker: String? = nil,
        others: Int = 0,
        isExecuting: Bool = false,
        waitsFor reasons: [WaitReason] = [],
        isPlural: Bool = false
    ) -> WaitReason {
        let waits = isPlural ? "Each waits for" : "It waits for"
        let files = count == 1 ? "1 file" : "\(count) files"
        let loss = worker.map { "whose last copy was lost with \($0.asShown)" } ?? "of which no worker has a copy"
        let label = name.map { "\(operation) (\($0.asShown))" } ?? operation.description
        var sentence = "\(waits) \(files), \(loss): \(label) \(isExecuting ? "runs again" : "is to run again")."
        if others == 1 { sentence += " So does another operation." }
        if others > 1 { sentence += " So do \(others) other operations." }
        var reason = WaitReason(.files, sentence)
        reason.operation = operation.description
        reason.worker = worker
        reason.waitsFor = reasons
        return reason
    }
}
