@_spi(Baton) import BatonOperations

@_spi(Baton) extension AttemptResult: WireCodable {
    static let minimumLength = 8

    /// The bits of the byte behind the result: whether the use of resources follows, and whether files follow.
    ///
    /// A coordinator of Baton 0.1.0 knows the first bit alone, and has no operations that leave files.
    private static let hasUsage: UInt8 = 1
    private static let hasFiles: UInt8 = 2

    func write(to writer: inout ByteWriter) {
        writer.value(end)
        writer.zigzag(microseconds)
        writer.value(standardOutput)
        writer.value(standardError)
        writer.optional(result) { $0.blob($1) }
        writer.byte((usage == nil ? 0 : Self.hasUsage) | (hasNoFiles ? 0 : Self.hasFiles))
        if let usage { writer.value(usage) }
        if !hasNoFiles { writer.list(files) }
    }

    init(from reader: inout ByteReader) throws(WireError) {
        self.init(
            end: try reader.value(),
            microseconds: try reader.zigzag("a duration", as: Int64.self),
            standardOutput: try reader.value(),
            standardError: try reader.value()
        )
        let given = try reader.optional("the result") { reader throws(WireError) in
            try reader.blob("the result", atMost: Self.maximumResultLength)
        }
        if let given { result = given }
        let present = try reader.byte("what the attempt left")
        guard present & ~(Self.hasUsage | Self.hasFiles) == 0 else {
            throw reader.unknown("what the attempt left", present)
        }
        if present & Self.hasUsage != 0 { usage = try reader.value() }
        if present & Self.hasFiles != 0 { files = try reader.filesOfAttempt() }
    }
}

@_spi(Baton) extension AttemptUsage: WireCodable {
    static let minimumLength = 2

    func write(to writer: inout ByteWriter) {
        writer.varint(max(0, processorMicroseconds))
        writer.varint(max(0, peakMemory))
    }

    init(from reader: inout ByteReader) throws(WireError) {
        self.init(
            processorMicroseconds: try reader.varint("the processor time"),
            peakMemory: try reader.varint("the most memory")
        )
    }
}

@_spi(Baton) extension AttemptEnd: WireCodable {
    static let minimumLength = 1

    func write(to writer: inout ByteWriter) {
        switch self {
        case .exited(let status):
            writer.byte(0)
            writer.zigzag(status)
        case .signalled(let signal):
            writer.byte(1)
            writer.zigzag(signal)
        case .timedOut:
            writer.byte(2)
        case .notStarted(let why):
            writer.byte(3)
            writer.text(why)
        case .interrupted:
            writer.byte(4)
        case .unusableResult(let why):
            writer.byte(5)
            writer.text(why)
        case .threw(let error):
            writer.byte(6)
            writer.text(error)
        case .cancelled(let status, let signal):
            writer.byte(7)
            writer.optional(status) { $0.zigzag($1) }
            writer.optional(signal) { $0.zigzag($1) }
        case .workerFault(let why, let hasRun):
            writer.byte(8)
            writer.text(why)
            writer.flag(hasRun)
        case .stopped:
            writer.byte(9)
        case .exceededMemory(let limit):
            writer.byte(10)
            writer.zigzag(limit)
        case .unkeptFiles(let why):
            writer.byte(11)
            writer.text(why)
        case .noRoom(let lack, let hasRun):
            writer.byte(12)
            writer.varint(lack.wanted)
            writer.varint(lack.limit)
            writer.varint(lack.taken)
            writer.flag(hasRun)
        case .lostInputs(let why):
            writer.byte(13)
            writer.text(why)
        }
    }

    init(from reader: inout ByteReader) throws(WireError) {
        switch try reader.byte("the attempt's end") {
        case 0: self = .exited(try reader.zigzag("the exit status"))
        case 1: self = .signalled(try reader.zigzag("the signal"))
        case 2: self = .timedOut
        case 3: self = .notStarted(try reader.sentence("the sentence why the attempt was not started"))
        case 4: self = .interrupted
        case 5: self = .unusableResult(try reader.sentence("the sentence why the result cannot be used"))
        case 6: self = .threw(try reader.text("the error that was thrown", atMost: WireLimits.maximumErrorLength))
        case 7:
            self = .cancelled(
                exitStatus: try reader.optional("the exit status") { reader throws(WireError) in
                    try reader.zigzag("the exit status")
                },
                signal: try reader.optional("the signal") { reader throws(WireError) in
                    try reader.zigzag("the signal")
                }
            )
        case 8:
            self = .workerFault(
                try reader.sentence("the sentence about the worker's fault"),
                hasRun: try reader.flag("whether some of the attempt has run")
            )
        case 9: self = .stopped
        case 10: self = .exceededMemory(limit: try reader.zigzag("the limit of memory"))
        case 11: self = .unkeptFiles(try reader.sentence("the sentence why the files cannot be kept"))
        case 12:
            let wanted: UInt64 = try reader.varint("the bytes without room")
            let limit: UInt64 = try reader.varint("the limit of files")
            let taken: UInt64 = try reader.varint("the bytes of the other files")
            self = .noRoom(
                RoomLack(wanted: wanted, limit: limit, taken: taken),
                hasRun: try reader.flag("whether the attempt has run")
            )
        case 13: self = .lostInputs(try reader.sentence("the sentence about the lost files"))
        case let other: throw reader.unknown("the attempt's end", other)
        }
    }
}

@_spi(Baton) extension OutputTail: WireCodable {
    static let minimumLength = 2

    func write(to writer: inout ByteWriter) {
        writer.varint(totalLength)
        writer.blob(bytes)
    }

    init(from reader: inout ByteReader) throws(WireError) {
        self.init(
            totalLength: try reader.varint("the length of the output"),
            bytes: try reader.blob("the end of the output", atMost: Self.maximumLength)
        )
    }
}

@_spi(Baton) extension OutputChunk: WireCodable {
    static let minimumLength = 4

    func write(to writer: inout ByteWriter) {
        writer.varint(offset)
        writer.blob(bytes)
        writer.varint(totalLength)
        writer.flag(isComplete)
    }

    init(from reader: inout ByteReader) throws(WireError) {
        self.init(
            offset: try reader.varint("the offset in the output"),
            bytes: try reader.blob("the piece of output", atMost: Self.maximumLength),
            totalLength: try reader.varint("the length of the output"),
            isComplete: try reader.flag("whether the output is complete")
        )
        guard !offset.addingReportingOverflow(UInt64(bytes.count)).overflow else {
            throw reader.malformed("the offset in the output", "is too large for the bytes that follow it")
        }
    }
}

@_spi(Baton) extension Completion: WireCodable {
    static let minimumLength =
        AttemptToken.minimumLength + OperationID.minimumLength + AttemptResult.minimumLength + 1

    func write(to writer: inout ByteWriter) {
        writer.value(token)
        writer.value(operation)
        writer.value(result)
        writer.age(age)
    }

    init(from reader: inout ByteReader) throws(WireError) {
        self.init(
            token: try reader.value(),
            operation: try reader.value(),
            result: try reader.value(),
            age: try reader.age()
        )
    }
}
