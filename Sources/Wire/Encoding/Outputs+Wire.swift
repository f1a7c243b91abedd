@_spi(Baton) import BatonOperations

@_spi(Baton) extension OutputSelection: WireCodable {
    static let minimumLength = 9

    func write(to writer: inout ByteWriter) {
        writer.value(job)
        writer.list(operations) { writer, range in
            writer.varint(range.lowerBound)
            writer.varint(range.upperBound)
        }
        writer.varint(afterAttempt)
        writer.optional(stream) { $0.value($1) }
        writer.optional(attempt) { $0.varint($1) }
        writer.flag(isLastOnly)
        writer.flag(isFailedOnly)
        writer.optional(lines) { $0.varint($1) }
        writer.varint(limit)
    }

    init(from reader: inout ByteReader) throws(WireError) {
        let job: JobNumber = try reader.value()
        var end: UInt32 = 0
        let operations = try reader.list(
            "the operations",
            minimumLength: 2,
            atMost: WireLimits.maximumAddressCount
        ) { reader throws(WireError) in
            let lower: UInt32 = try reader.varint("the first operation")
            let upper: UInt32 = try reader.varint("the end of the operations")
            guard lower < upper, lower >= end else {
                throw reader.malformed("the operations", "are not in ascending order")
            }
            end = upper
            return lower..<upper
        }
        self.init(
            job: job,
            operations: operations,
            afterAttempt: try reader.varint("the attempt before the first"),
            stream: try reader.optional("the stream"),
            attempt: try reader.optional("the attempt") { reader throws(WireError) in
                try reader.varint("the attempt")
            },
            isLastOnly: try reader.flag("whether only the last attempts are wanted"),
            isFailedOnly: try reader.flag("whether only failed operations are wanted"),
            lines: try reader.optional("the number of lines") { reader throws(WireError) in
                try reader.varint("the number of lines")
            },
            limit: try reader.varint("the limit")
        )
    }
}

@_spi(Baton) extension OutputPage: WireCodable {
    static let minimumLength = 3

    func write(to writer: inout ByteWriter) {
        writer.list(pieces)
        writer.list(executions) { writer, execution in
            writer.varint(execution.operation)
            writer.varint(execution.attempt)
        }
        writer.optional(next) { writer, position in
            writer.varint(position.operation)
            writer.varint(position.afterAttempt)
        }
    }

    init(from reader: inout ByteReader) throws(WireError) {
        self.init(
            pieces: try reader.list("the pieces of output"),
            executions: try reader.list("the executing operations", minimumLength: 2) { reader throws(WireError) in
                Execution(
                    operation: try reader.varint("an executing operation"),
                    attempt: try reader.varint("the attempt of an executing operation")
                )
            },
            next: try reader.optional("the next position") { reader throws(WireError) in
                Position(
                    operation: try reader.varint("the next operation"),
                    afterAttempt: try reader.varint("the attempt before the next")
                )
            }
        )
    }
}

@_spi(Baton) extension OutputPage.Piece: WireCodable {
    static let minimumLength = 6

    func write(to writer: inout ByteWriter) {
        writer.varint(operation)
        writer.varint(attempt)
        writer.value(stream)
        writer.varint(offset)
        writer.flag(isWhole)
        writer.blob(bytes)
    }

    init(from reader: inout ByteReader) throws(WireError) {
        self.init(
            operation: try reader.varint("the operation"),
            attempt: try reader.varint("the attempt"),
            stream: try reader.value(),
            offset: try reader.varint("the offset in the output"),
            isWhole: try reader.flag("whether the output is whole"),
            bytes: try reader.blob("the output", atMost: OutputTail.maximumLength)
        )
        guard !offset.addingReportingOverflow(UInt64(bytes.count)).overflow else {
            throw reader.malformed("the offset in the output", "is too large for the bytes that follow it")
        }
    }
}
