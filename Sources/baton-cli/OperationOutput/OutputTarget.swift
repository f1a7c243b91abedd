@_spi(Baton) import BatonClient
@_spi(Baton) import BatonDocuments
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWire

/// The operations whose output a user wants to see, all of one job.
struct OutputTarget {
    /// The job.
    let job: JobNumber
    /// The operations, in ascending order; the ranges do not overlap.
    let operations: [Range<UInt32>]
    /// What a wait for the operations names.
    let addresses: [Address]

    /// The only operation; nil for several operations.
    var single: OperationID? {
        guard operations.count == 1, operations[0].count == 1 else { return nil }
        return OperationID(job: job, index: operations[0].lowerBound)
    }

    /// All operations of a job.
    ///
    /// - Parameter count: the number of operations.
    init(wholeJob job: JobNumber, count: Int) {
        self.job = job
        operations = count > 0 ? [0..<UInt32(clamping: count)] : []
        addresses = [.job(job)]
    }

    /// A single operation.
    init(_ operation: OperationID) {
        self.init(
            job: operation.job,
            operations: [operation.index..<operation.index + 1],
            addresses: [.operation(operation)]
        )
    }

    /// Finds the operations that a user means.
    ///
    /// - Throws: ``CommandFailure`` and `ClientError` with 66 if there is no such job or operation.
    init(_ pattern: AddressPattern, on connection: ClientConnection) async throws {
        let addresses = try await AddressResolver(on: connection).addresses(of: [pattern])
        guard let job = addresses.first?.job else { throw Self.nothing(pattern) }
        let page = try await connection.document(.job(job, from: 0, limit: 0), timeout: GlobalOptions.answerTimeout)
        let total = try DocumentReader.read(JobDocument.self, from: page).counts.total
        guard addresses != [.job(job)] else {
            self = OutputTarget(wholeJob: job, count: total)
            return
        }
        var ranges: [Range<UInt32>] = []
        for address in addresses { ranges.append(try await Self.range(of: address, on: connection)) }
        if let missing = ranges.first(where: { $0.upperBound > total }) {
            throw CommandFailure(
                ExitStatus.notFound,
                code: "notFound",
                "There is no operation \(job)/\(max(missing.lowerBound, UInt32(clamping: total))).",
                advice: "See \"baton show \(job)\"."
            )
        }
        self = OutputTarget(job: job, operations: Self.merged(ranges), addresses: addresses)
    }

    private init(job: JobNumber, operations: [Range<UInt32>], addresses: [Address]) {
        self.job = job
        self.operations = operations
        self.addresses = addresses
    }

    private static func nothing(_ pattern: AddressPattern) -> CommandFailure {
        CommandFailure(ExitStatus.notFound, code: "notFound", "\(pattern.text.asShown) stands for no operation.")
    }

    private static func range(of address: Address, on connection: ClientConnection) async throws -> Range<UInt32> {
        switch address {
        case .operation(let id): return id.index..<id.index + 1
        case .operations(_, let range): return range
        case .job, .named:
            let bytes = try await connection.document(.operation(address), timeout: GlobalOptions.answerTimeout)
            if ArrayDocument.isDocument(bytes) {
                return try DocumentReader.read(ArrayDocument.self, from: bytes).operations
            }
            let index = try DocumentReader.read(OperationDocument.self, from: bytes).operation.index
            return index..<index + 1
        }
    }

    /// Ranges in ascending order, with overlapping and adjacent ones joined.
    static func merged(_ ranges: [Range<UInt32>]) -> [Range<UInt32>] {
        var merged: [Range<UInt32>] = []
        for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) where !range.isEmpty {
            if let last = merged.last, last.upperBound >= range.lowerBound {
                merged[merged.count - 1] = last.lowerBound..<max(last.upperBound, range.upperBound)
            } else {
                merged.append(range)
            }
        }
        return merged
    }

    /// Whether an operation is among the operations.
    func contains(_ index: UInt32) -> Bool {
        var (low, high) = (0, operations.count)
        while low < high {
            let middle = (low + high) / 2
            if operations[middle].upperBound <= index { low = middle + 1 } else { high = middle }
        }
        return low < operations.count && operations[low].contains(index)
    }
}
