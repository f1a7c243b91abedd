@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonStore
@_spi(Baton) import BatonWire

/// Puts a page of outputs together, up to the limits of a page.
struct OutputPageBuilder {
    let selection: OutputSelection
    private(set) var page = OutputPage()
    private var length = 0
    private var attempts = 0

    /// - Parameter count: the number of operations of the job.
    init(_ selection: OutputSelection, operationsOfJob count: Int) {
        var selection = selection
        let end = UInt32(clamping: count)
        selection.operations = selection.operations.filter { $0.lowerBound < end }.map { $0.clamped(to: 0..<end) }
        self.selection = selection
    }

    /// Adds the outputs of consecutive operations; sets the next position if the page is full before.
    mutating func read(_ operations: Range<UInt32>, _ store: any RecordReader) throws(StoreError) {
        let isFirst = operations.lowerBound == selection.operations.first?.lowerBound
        let query = OutputQuery(
            operations: operations,
            afterAttempt: isFirst ? selection.afterAttempt : 0,
            attempt: selection.attempt,
            isLastOnly: selection.isLastOnly,
            wantsStandardOutput: selection.wants(.standardOutput),
            wantsStandardError: selection.wants(.standardError)
        )
        try store.outputs(of: selection.job, matching: query) { index, output in
            guard attempts < OutputPage.mostAttempts, attempts == 0 || length < limit else {
                page.next = OutputPage.Position(operation: index, afterAttempt: max(output.attempt, 1) - 1)
                return false
            }
            attempts += 1
            if selection.wants(.standardOutput) { add(output.standardOutput, .standardOutput, index, output.attempt) }
            if selection.wants(.standardError) { add(output.standardError, .standardError, index, output.attempt) }
            return true
        }
    }

    /// Ends the page in front of an operation.
    mutating func stop(at operation: UInt32) {
        page.next = OutputPage.Position(operation: operation)
    }

    /// Adds those of the executions that belong to the page; call it last.
    mutating func add(_ executions: [(operation: UInt32, attempt: UInt32)]) {
        var ranges = selection.operations[...]
        for (operation, attempt) in executions where selection.attempt ?? attempt == attempt {
            while let first = ranges.first, first.upperBound <= operation { ranges = ranges.dropFirst() }
            guard let range = ranges.first else { return }
            if let next = page.next, operation >= next.operation { return }
            if range.contains(operation) {
                page.executions.append(OutputPage.Execution(operation: operation, attempt: attempt))
            }
        }
    }

    private var limit: Int { min(Int(selection.limit), OutputPage.maximumLength) }

    private mutating func add(_ tail: OutputTail, _ stream: OutputStream, _ operation: UInt32, _ attempt: UInt32) {
        guard tail.totalLength > 0 else { return }
        var bytes = tail.bytes[...]
        var isWhole = UInt64(bytes.count) >= tail.totalLength
        if let lines = selection.lines, let start = LastLines.start(of: lines, in: bytes) {
            bytes = bytes[start...]
            isWhole = true
        }
        length += bytes.count
        page.pieces.append(
            OutputPage.Piece(
                operation: operation,
                attempt: attempt,
                stream: stream,
                offset: tail.totalLength - min(UInt64(bytes.count), tail.totalLength),
                isWhole: isWhole,
                bytes: Array(bytes)
            )
        )
    }
}
