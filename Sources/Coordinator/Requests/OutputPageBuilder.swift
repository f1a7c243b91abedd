@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonStore
@_spi(Baton) import BatonWire

/// Puts a page of outputs together, up to the limits of a page.
struct OutputPageBuilder {
    let selection: OutputSelection
    private(set) var page = OutputPage()
    private var length = 0
    private var attempts = 0
    private var lostAttempts = 0

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
        try addLost(operations, store)
    }

    /// Adds the attempts of the page whose output was lost, in their places; ends the page in front of those for which it has no room.
    private mutating func addLost(_ operations: Range<UInt32>, _ store: any RecordReader) throws(StoreError) {
        var end = operations.upperBound
        if let next = page.next { end = next.afterAttempt > 0 ? next.operation + 1 : next.operation }
        guard end > operations.lowerBound else { return }
        let limit = OutputPage.mostAttempts - lostAttempts
        let found = try store.lostOutputs(of: selection.job, in: operations.lowerBound..<end, limit: limit + 1)
        if found.count > limit { cut(at: front(of: found[limit])) }
        let lost = found.prefix(limit).filter { wants($0) }
        guard !lost.isEmpty else { return }
        page.pieces += lost.map {
            .lost(operation: $0.operation, attempt: $0.attempt, selection.stream ?? .standardOutput)
        }
        page.pieces.sort { $0.place < $1.place }
        lostAttempts += lost.count
    }

    private func wants(_ lost: LostOutput) -> Bool {
        if let attempt = selection.attempt, attempt != lost.attempt { return false }
        if selection.isLastOnly, !lost.isLast { return false }
        let isFirst = lost.operation == selection.operations.first?.lowerBound
        if isFirst, lost.attempt <= selection.afterAttempt { return false }
        guard let next = page.next else { return true }
        return (lost.operation, lost.attempt) < (next.operation, next.afterAttempt + 1)
    }

    private func front(of lost: LostOutput) -> OutputPage.Position {
        OutputPage.Position(operation: lost.operation, afterAttempt: lost.attempt - 1)
    }

    /// Ends the page in front of a position, unless it ends before.
    private mutating func cut(at position: OutputPage.Position) {
        if let next = page.next {
            guard (position.operation, position.afterAttempt) < (next.operation, next.afterAttempt) else { return }
        }
        page.next = position
        page.pieces.removeAll { ($0.operation, $0.attempt) >= (position.operation, position.afterAttempt + 1) }
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

extension OutputPage.Piece {
    /// The place of the piece in a page.
    fileprivate var place: (UInt32, UInt32, UInt8) { (operation, attempt, stream == .standardOutput ? 0 : 1) }
}
