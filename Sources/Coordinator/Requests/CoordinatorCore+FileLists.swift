@_spi(Baton) import BatonDocuments
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonScheduler
@_spi(Baton) import BatonStore

/// Answers requests for the files that operations left.
extension CoordinatorCore {
    /// Reads a page of files; the workers that keep them are looked up behind the answer of the record.
    func answerFiles(of address: Address, from place: UInt32, limit: UInt32, for client: ReplyAddress) {
        let limit = min(max(Int(limit), 1), Self.largestPage)
        lookUpBeside(for: client) { store throws(StoreError) in
            let operations: ClosedRange<UInt32>
            switch try Self.storedTarget(address, store) {
            case .job?: operations = 0...UInt32.max
            case .operations(_, let range)? where !range.isEmpty: operations = ClosedRange(range)
            case .operations?, .queue?, nil: return .failure(try Self.absence(of: address, store))
            }
            let page = try FilesPage(of: address.job, operations, from: place, limit: limit, store)
            return .success(.files(page, for: client))
        }
    }

    /// Replies with a page of files, and with the workers that keep them at this moment.
    func answer(_ page: FilesPage, for client: ReplyAddress) {
        var known: [ContentDigest: [String]] = [:]
        let document = page.document { digest in
            if let names = known[digest] { return names }
            let names = holders(of: digest)
            known[digest] = names
            return names
        }
        replyBeside(document, for: client)
    }

    /// The fewest workers that keep a file of an operation; nil for one whose files nobody needs any more, or that is not known by the
    /// address alone.
    func fewestCopies(of address: Address) -> Int? {
        switch address {
        case .job, .operations: nil
        case .operation(let id): scheduler.fewestCopies(of: id)
        case .named(let job, let name):
            scheduler.operations(named: name, in: job).flatMap { range in
                range.count == 1 ? scheduler.fewestCopies(of: OperationID(job: job, index: range.lowerBound)) : nil
            }
        }
    }

    /// How many files an operation left, and how long they are; nil for none.
    static func files(
        of operation: StoredOperation,
        live: OperationRecord?,
        _ store: any RecordReader
    ) throws(StoreError) -> FilesSize? {
        guard live?.hasFiles ?? operation.record.hasFiles else { return nil }
        let id = operation.record.id
        return try store.sizeOfFiles(ofJob: id.job, in: id.index...id.index)
    }
}
