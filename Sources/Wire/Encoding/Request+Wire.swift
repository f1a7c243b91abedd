import Operations

extension Request: WireCodable {
    static let minimumLength = 2

    func write(to writer: inout ByteWriter) {
        switch self {
        case .submit(let submission):
            writer.byte(0)
            writer.value(submission)
        case .wait(let addresses, let queue, let time):
            writer.byte(1)
            writer.list(addresses)
            writer.optional(queue) { $0.text($1) }
            writer.value(time)
        case .cancel(let addresses, let queue):
            writer.byte(2)
            writer.list(addresses)
            writer.optional(queue) { $0.text($1) }
        case .setQueue(let change):
            writer.byte(3)
            writer.value(change)
        case .document(let document):
            writer.byte(4)
            writer.value(document)
        case .log(let address, let attempt, let stream, let offset, let limit):
            writer.byte(5)
            writer.value(address)
            writer.optional(attempt) { $0.varint($1) }
            writer.value(stream)
            writer.varint(offset)
            writer.varint(limit)
        case .result(let address):
            writer.byte(6)
            writer.value(address)
        }
    }

    init(from reader: inout ByteReader) throws(WireError) {
        switch try reader.byte("the request's kind") {
        case 0:
            reader.message = "submit"
            self = .submit(try reader.value())
        case 1:
            reader.message = "wait"
            self = .wait(
                try reader.list("the addresses"),
                queue: try Self.queue(from: &reader),
                atMost: try reader.value()
            )
        case 2:
            reader.message = "cancel"
            self = .cancel(try reader.list("the addresses"), queue: try Self.queue(from: &reader))
        case 3:
            reader.message = "setQueue"
            self = .setQueue(try reader.value())
        case 4:
            reader.message = "document"
            self = .document(try reader.value())
        case 5:
            reader.message = "log"
            self = .log(
                try reader.value(),
                attempt: try reader.optional("the attempt") { reader throws(WireError) in
                    try reader.varint("the attempt")
                },
                try reader.value(),
                offset: try reader.varint("the offset"),
                limit: try reader.varint("the limit")
            )
        case 6:
            reader.message = "result"
            self = .result(try reader.value())
        case let other: throw reader.unknown("the request's kind", other)
        }
    }

    private static func queue(from reader: inout ByteReader) throws(WireError) -> String? {
        try reader.optional("the queue's name") { reader throws(WireError) in
            try reader.text("the queue's name", atMost: Name.maximumLength)
        }
    }
}

extension DocumentRequest: WireCodable {
    static let minimumLength = 1

    func write(to writer: inout ByteWriter) {
        switch self {
        case .job(let job, let first, let limit):
            writer.byte(0)
            writer.value(job)
            writer.varint(first)
            writer.varint(limit)
        case .operation(let address):
            writer.byte(1)
            writer.value(address)
        case .explain(let address):
            writer.byte(2)
            writer.value(address)
        case .jobs(let before, let limit):
            writer.byte(3)
            writer.optional(before)
            writer.varint(limit)
        case .queue(let name):
            writer.byte(4)
            writer.text(name)
        case .queues: writer.byte(5)
        case .workers: writer.byte(6)
        case .status: writer.byte(7)
        }
    }

    init(from reader: inout ByteReader) throws(WireError) {
        switch try reader.byte("the document's kind") {
        case 0:
            self = .job(
                try reader.value(),
                from: try reader.varint("the first index"),
                limit: try reader.varint("the limit")
            )
        case 1: self = .operation(try reader.value())
        case 2: self = .explain(try reader.value())
        case 3:
            self = .jobs(
                before: try reader.optional("the job before which to start"),
                limit: try reader.varint("the limit")
            )
        case 4: self = .queue(try reader.text("the queue's name", atMost: Name.maximumLength))
        case 5: self = .queues
        case 6: self = .workers
        case 7: self = .status
        case let other: throw reader.unknown("the document's kind", other)
        }
    }
}
