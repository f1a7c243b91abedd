@_spi(Baton) import BatonOperations

@_spi(Baton) extension CoordinatorMessage {
    /// The message as bytes; the length is linear in the content.
    ///
    /// Nothing is checked: the other side refuses a message with values beyond the stated limits.
    public func encoded() -> [UInt8] { framed() }

    /// Decodes a message of the coordinator to a worker.
    ///
    /// - Throws: ``WireError`` `malformed` unless the bytes are exactly one message of this kind.
    /// - Complexity: O(length), in time and memory, for any bytes.
    public init(decoding bytes: UnsafeRawBufferPointer) throws(WireError) {
        self = try ByteReader.decode(bytes) { type, reader throws(WireError) in
            try CoordinatorMessage(type, from: &reader)
        }
    }
}

@_spi(Baton) extension CoordinatorMessage: WireMessage {
    var type: MessageType {
        switch self {
        case .welcome: .workerWelcome
        case .refused: .workerRefused
        case .leadership: .workerLeadership
        case .superseded: .workerSuperseded
        case .sayHello: .sayHello
        case .challenge: .challenge
        case .heartbeat: .coordinatorHeartbeat
        case .dispatch: .dispatch
        case .acknowledge: .acknowledge
        case .cancel: .cancel
        case .recall: .recall
        case .pauses: .pauses
        case .signal: .signal
        case .stop: .stop
        case .inputs: .inputs
        case .typedInputs: .typedInputs
        case .inputFiles: .inputFiles
        case .releaseFiles: .releaseFiles
        case .retainFiles: .retainFiles
        case .verifyFiles: .verifyFiles
        case .copyFiles: .copyFiles
        case .readPiece: .readPiece
        case .pieceUnavailable: .pieceUnavailable
        case .directSource: .directSource
        case .admitReader: .admitReader
        case .readOutput: .readOutput
        }
    }

    func writeFields(to writer: inout ByteWriter) {
        switch self {
        case .welcome(let welcome):
            writer.value(welcome)
        case .refused(let refusal):
            writer.value(refusal)
        case .leadership(let leadership):
            writer.value(leadership)
        case .superseded(let refusal, let isCopy):
            writer.value(refusal)
            writer.flag(isCopy)
        case .heartbeat(let number):
            writer.fixed(number)
        case .sayHello:
            break
        case .challenge(let number):
            writer.fixed(number)
        case .dispatch(let batch):
            writer.value(batch)
        case .acknowledge(let tokens), .cancel(let tokens), .recall(let tokens), .pauses(let tokens):
            writer.list(tokens)
        case .signal(let tokens, let signal):
            writer.list(tokens)
            writer.value(signal)
        case .stop(let isImmediate):
            writer.flag(isImmediate)
        case .inputs(let token, let inputs, let isLast):
            writer.value(token)
            writer.list(inputs)
            writer.flag(isLast)
        case .typedInputs(let token, let first, let inputs, let isLast):
            writer.value(token)
            writer.varint(first)
            writer.list(inputs)
            writer.flag(isLast)
        case .inputFiles(let token, let files):
            writer.value(token)
            writer.list(files)
        case .releaseFiles(let digests), .retainFiles(let digests), .verifyFiles(let digests):
            writer.list(digests)
        case .copyFiles(let files):
            writer.list(files)
        case .readPiece(let number, let echo, let digest, let offset, let limit):
            writer.fixed(number)
            writer.fixed(echo)
            writer.value(digest)
            writer.varint(offset)
            writer.varint(limit)
        case .pieceUnavailable(let echo, let isLost):
            writer.fixed(echo)
            writer.flag(isLost)
        case .directSource(let echo, let digest, let address, let ticket):
            writer.fixed(echo)
            writer.value(digest)
            writer.value(address)
            writer.value(ticket)
        case .admitReader(let ticket, let digest, let seconds):
            writer.value(ticket)
            writer.value(digest)
            writer.varint(seconds)
        case .readOutput(let request, let token, let operation, let stream, let offset, let limit):
            writer.varint(request)
            writer.value(token)
            writer.value(operation)
            writer.value(stream)
            writer.varint(offset)
            writer.varint(limit)
        }
    }

    init(_ type: MessageType, from reader: inout ByteReader) throws(WireError) {
        switch type {
        case .workerWelcome: self = .welcome(try reader.value())
        case .workerRefused: self = .refused(try reader.value())
        case .workerLeadership: self = .leadership(try reader.value())
        case .workerSuperseded:
            self = .superseded(try reader.value(), isCopy: try reader.flag("whether the other worker is a copy"))
        case .sayHello: self = .sayHello
        case .challenge: self = .challenge(try reader.fixed("the number to repeat"))
        case .coordinatorHeartbeat: self = .heartbeat(number: try reader.fixed("the heartbeat's number"))
        case .dispatch: self = .dispatch(try reader.value())
        case .acknowledge: self = .acknowledge(try reader.list("the acknowledged attempts"))
        case .cancel: self = .cancel(try reader.list("the cancelled attempts"))
        case .recall: self = .recall(try reader.list("the recalled attempts"))
        case .pauses: self = .pauses(try reader.list("the paused attempts"))
        case .signal: self = .signal(try reader.list("the attempts that get a signal"), try reader.value())
        case .stop: self = .stop(isImmediate: try reader.flag("whether what runs is ended now"))
        case .inputs:
            self = .inputs(
                try reader.value(),
                try reader.list("the inputs"),
                isLast: try reader.flag("whether these inputs are the last")
            )
        case .typedInputs:
            self = .typedInputs(
                try reader.value(),
                first: try reader.varint("the place of the first input"),
                try reader.list("the inputs"),
                isLast: try reader.flag("whether these inputs are the last")
            )
        case .inputFiles: self = .inputFiles(try reader.value(), try reader.list("the files among the inputs"))
        case .releaseFiles: self = .releaseFiles(try reader.digests())
        case .retainFiles: self = .retainFiles(try reader.digests())
        case .verifyFiles: self = .verifyFiles(try reader.digests())
        case .copyFiles:
            self = .copyFiles(try reader.list("the files to copy", atMost: WireLimits.maximumHeldFiles))
        case .readPiece:
            self = .readPiece(
                number: try reader.fixed("the request's number"),
                echo: try reader.fixed("the number of who asked"),
                try reader.value(),
                offset: try reader.varint("the offset in a file"),
                limit: try reader.varint("the limit")
            )
        case .pieceUnavailable:
            self = .pieceUnavailable(
                echo: try reader.fixed("the number of who asked"),
                isLost: try reader.flag("whether the file is lost")
            )
        case .directSource:
            self = .directSource(
                echo: try reader.fixed("the number of who asked"),
                try reader.value(),
                try reader.value(),
                try reader.value()
            )
        case .admitReader:
            self = .admitReader(
                try reader.value(),
                try reader.value(),
                seconds: try reader.varint("the seconds of a ticket")
            )
        case .readOutput:
            self = .readOutput(
                request: try reader.varint("the request's number"),
                try reader.value(),
                try reader.value(),
                try reader.value(),
                offset: try reader.varint("the offset"),
                limit: try reader.varint("the limit")
            )
        default: throw reader.malformed("the type", "is not one of the coordinator's messages to a worker")
        }
    }
}
