@_spi(Baton) import BatonOperations

@_spi(Baton) extension Reply: WireCodable {
    static let minimumLength = 2

    func write(to writer: inout ByteWriter) {
        switch self {
        case .job(let job, let operations, let isNew):
            writer.byte(0)
            writer.value(job)
            writer.varint(operations)
            writer.flag(isNew)
        case .progress(let progress):
            // Who asks for no outputs may be of Baton 0.1.0.
            writer.byte(progress.outputs == nil ? 1 : 14)
            writer.value(progress.counts)
            writer.flag(progress.isFinished)
            writer.optional(progress.began)
            writer.optional(progress.partial) { $0.varint($1) }
            if let outputs = progress.outputs { writer.list(outputs) }
        case .changed(let report):
            writer.byte(2)
            writer.value(report)
        case .events(let page):
            writer.byte(3)
            writer.value(page)
        case .document(let document):
            writer.byte(4)
            writer.blob(document)
        case .output(let chunk):
            writer.byte(5)
            writer.value(chunk)
        case .result(let bytes):
            writer.byte(6)
            writer.optional(bytes) { $0.blob($1) }
        case .refused(let refusal):
            writer.byte(7)
            writer.value(refusal)
        case .added(let job, let first, let operations, let isNew):
            writer.byte(10)
            writer.value(job)
            writer.varint(first)
            writer.varint(operations)
            writer.flag(isNew)
        case .outputs(let page):
            writer.byte(8)
            writer.value(page)
        case .history(let page):
            writer.byte(9)
            writer.value(page)
        case .filePiece(let piece):
            writer.byte(11)
            writer.value(piece)
        case .digests(let digests):
            writer.byte(12)
            writer.list(digests)
        case .received(let isWhole):
            writer.byte(13)
            writer.flag(isWhole)
        }
    }

    init(from reader: inout ByteReader) throws(WireError) {
        let kind = try reader.byte("the reply's kind")
        switch kind {
        case 0:
            self = .job(
                try reader.value(),
                operations: try reader.varint("the number of operations"),
                isNew: try reader.flag("whether the job is new")
            )
        case 1, 14:
            self = .progress(
                WaitProgress(
                    counts: try reader.value(),
                    isFinished: try reader.flag("whether all is finished"),
                    began: try reader.optional("the beginning of the wait"),
                    partial: try reader.optional("the progress of executing operations") { reader throws(WireError) in
                        try reader.varint("the progress of executing operations")
                    },
                    outputs: try kind == 14 ? reader.list("the pieces of output", of: OutputPage.Piece.self) : nil
                )
            )
        case 2: self = .changed(try reader.value())
        case 3: self = .events(try reader.value())
        case 4: self = .document(try reader.blob("the document"))
        case 5: self = .output(try reader.value())
        case 6:
            self = .result(
                try reader.optional("the result") { reader throws(WireError) in
                    try reader.blob("the result", atMost: AttemptResult.maximumResultLength)
                }
            )
        case 7: self = .refused(try reader.value())
        case 8: self = .outputs(try reader.value())
        case 9: self = .history(try reader.value())
        case 10:
            self = .added(
                try reader.value(),
                first: try reader.varint("the index of the first operation"),
                operations: try reader.varint("the number of operations"),
                isNew: try reader.flag("whether the operations are new")
            )
        case 11: self = .filePiece(try reader.value())
        case 12: self = .digests(try reader.digests())
        case 13: self = .received(isWhole: try reader.flag("whether a file is whole"))
        case let other: throw reader.unknown("the reply's kind", other)
        }
    }
}

@_spi(Baton) extension JobCounts: WireCodable {
    static let minimumLength = 9

    func write(to writer: inout ByteWriter) {
        writer.varint(pending)
        writer.varint(ready)
        writer.varint(executing)
        writer.varint(succeeded)
        writer.varint(failed)
        writer.varint(cancelled)
        writer.varint(skipped)
        writer.varint(notNeeded)
        // The flag is a number above the count of skipped operations, which a peer of Baton 0.1.0 reads too.
        let flag = isCancelled ? skipped.addingSaturated(1) : 0
        writer.varint(skippedAfterFailure.addingSaturated(flag))
    }

    init(from reader: inout ByteReader) throws(WireError) {
        self.init()
        pending = try reader.varint("the count of pending operations")
        ready = try reader.varint("the count of ready operations")
        executing = try reader.varint("the count of executing operations")
        succeeded = try reader.varint("the count of succeeded operations")
        failed = try reader.varint("the count of failed operations")
        cancelled = try reader.varint("the count of cancelled operations")
        skipped = try reader.varint("the count of skipped operations")
        notNeeded = try reader.varint("the count of operations that were not needed")
        skippedAfterFailure = try reader.varint("the count of operations skipped because of a failure")
        guard skippedAfterFailure > skipped else { return }
        isCancelled = true
        skippedAfterFailure -= skipped + 1
    }
}
