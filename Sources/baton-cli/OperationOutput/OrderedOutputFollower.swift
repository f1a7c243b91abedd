@_spi(Baton) import BatonClient
@_spi(Baton) import BatonDocuments
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWire

/// Prints the output of operations in the order of their indices while they run: that of one operation to its end, then that of
/// the next.
///
/// What others print meanwhile waits with their workers and in the record.
struct OrderedOutputFollower {
    private let target: OutputTarget
    private let selection: OutputSelection
    private let missing: MissingOutput
    /// The running operation that follows the output, if any.
    private let waiter: OperationID?
    private let connection: ClientConnection
    private var printer: OutputPrinter

    /// - Parameters:
    ///   - selection: the streams to print.
    ///   - missing: what is told of output that is missing.
    init(
        of target: OutputTarget,
        selection: OutputSelection,
        printer: OutputPrinter,
        missing: MissingOutput,
        by waiter: OperationID?,
        on connection: ClientConnection
    ) {
        self.target = target
        self.selection = selection
        self.printer = printer
        self.missing = missing
        self.waiter = waiter
        self.connection = connection
    }

    /// Prints all output until all operations are finished.
    mutating func followToEnd() async throws {
        var position: UInt32 = 0
        while let next = try await firstUnfinished(from: position) {
            try await printFinished(position..<next)
            try await follow(OperationID(job: target.job, index: next))
            position = next + 1
        }
        try await printFinished(position..<UInt32.max)
    }

    /// The first operation from an index on that is not finished; nil if all are.
    private func firstUnfinished(from position: UInt32) async throws -> UInt32? {
        for range in Self.parts(of: target.operations, in: position..<UInt32.max) {
            var found: UInt32?
            let pages = JobPages(
                of: target.job,
                operations: range,
                filter: ListFilter(states: [.pending, .ready, .executing]),
                pageLength: 1,
                on: connection
            )
            try await pages.read { page in
                found = page.operations.first?.operation.index
                return found == nil
            }
            if let found { return found }
        }
        return nil
    }

    /// Prints the output of finished operations, in pages.
    private mutating func printFinished(_ indices: Range<UInt32>) async throws {
        var finished = selection
        finished.operations = Self.parts(of: target.operations, in: indices)
        guard !finished.operations.isEmpty else { return }
        try await printer.printAll(finished)
    }

    /// Prints the output of an operation as it comes, to its end.
    private mutating func follow(_ operation: OperationID) async throws {
        let target = OutputTarget(operation)
        var selection = selection
        selection.operations = target.operations
        var follower = JobOutputFollower(
            of: target,
            .lines,
            selection: selection,
            printer: printer,
            missing: missing,
            on: connection
        )
        try await follower.followToEnd(by: waiter)
        printer = follower.printer
    }

    /// The parts of ranges that are in another range.
    private static func parts(of ranges: [Range<UInt32>], in limits: Range<UInt32>) -> [Range<UInt32>] {
        ranges.map { $0.clamped(to: limits) }.filter { !$0.isEmpty }
    }
}
