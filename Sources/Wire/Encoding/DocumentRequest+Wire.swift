@_spi(Baton) import BatonOperations

@_spi(Baton) extension DocumentRequest: WireCodable {
    static let minimumLength = 1

    func write(to writer: inout ByteWriter) {
        switch self {
        case .job(let job, let first, let limit, let filter):
            writer.byte(0)
            writer.value(job)
            writer.varint(first)
            writer.varint(limit)
            writer.value(filter)
        case .operation(let address):
            writer.byte(1)
            writer.value(address)
        case .explain(let address):
            writer.byte(2)
            writer.value(address)
        case .jobs(let before, let limit, let filter):
            writer.byte(3)
            writer.optional(before)
            writer.varint(limit)
            writer.value(filter)
        case .queue(let name):
            writer.byte(4)
            writer.text(name)
        case .queues: writer.byte(5)
        case .workers: writer.byte(6)
        case .status: writer.byte(7)
        case .failures(let job, let limit):
            writer.byte(8)
            writer.value(job)
            writer.varint(limit)
        case .names(let job, let pattern, let index):
            writer.byte(9)
            writer.value(job)
            writer.optional(pattern) { $0.text($1) }
            writer.varint(index)
        case .summary(let job):
            writer.byte(15)
            writer.value(job)
        case .graph(let job, let index, let limit):
            writer.byte(12)
            writer.value(job)
            writer.varint(index)
            writer.varint(limit)
        case .standstill(let addresses, let queue):
            writer.byte(10)
            writer.list(addresses)
            writer.optional(queue) { $0.text($1) }
        case .overview(let limit):
            writer.byte(11)
            writer.varint(limit)
        case .metrics: writer.byte(16)
        case .criticalPath(let job):
            writer.byte(18)
            writer.value(job)
        case .waiting(let job):
            writer.byte(19)
            writer.value(job)
        case .throughput(let seconds):
            writer.byte(17)
            writer.varint(seconds)
        case .schedules: writer.byte(30)
        case .schedule(let name):
            writer.byte(31)
            writer.text(name)
        case .allWorkers: writer.byte(13)
        case .worker(let name):
            writer.byte(14)
            writer.text(name)
        case .limits: writer.byte(48)
        case .demand(let worker):
            writer.byte(52)
            writer.value(worker)
        case .files(let address, let index, let limit):
            writer.byte(51)
            writer.value(address)
            writer.varint(index)
            writer.varint(limit)
        case .coordinatorKeys: writer.byte(53)
        }
    }

    init(from reader: inout ByteReader) throws(WireError) {
        switch try reader.byte("the document's kind") {
        case 0:
            self = .job(
                try reader.value(),
                from: try reader.varint("the first index"),
                limit: try reader.varint("the limit"),
                filter: try reader.value()
            )
        case 1: self = .operation(try reader.value())
        case 2: self = .explain(try reader.value())
        case 3:
            self = .jobs(
                before: try reader.optional("the job before which to start"),
                limit: try reader.varint("the limit"),
                filter: try reader.value()
            )
        case 4: self = .queue(try reader.name("the queue's name"))
        case 5: self = .queues
        case 6: self = .workers
        case 7: self = .status
        case 8: self = .failures(try reader.value(), limit: try reader.varint("the limit"))
        case 9:
            self = .names(
                try reader.value(),
                matching: try reader.optional("the pattern") { reader throws(WireError) in
                    try reader.name("the pattern")
                },
                from: try reader.varint("the first index")
            )
        case 10:
            self = .standstill(
                try reader.list("the addresses", atMost: WireLimits.maximumAddressCount),
                queue: try reader.optional("the queue's name") { reader throws(WireError) in
                    try reader.name("the queue's name")
                }
            )
        case 11: self = .overview(jobs: try reader.varint("the limit"))
        case 12:
            self = .graph(
                try reader.value(),
                from: try reader.varint("the first index"),
                limit: try reader.varint("the limit")
            )
        case 13: self = .allWorkers
        case 14: self = .worker(try reader.name("the worker's name"))
        case 15: self = .summary(try reader.value())
        case 16: self = .metrics
        case 17: self = .throughput(seconds: try reader.varint("the number of seconds"))
        case 18: self = .criticalPath(try reader.value())
        case 19: self = .waiting(try reader.value())
        case 30: self = .schedules
        case 31: self = .schedule(try reader.name("the schedule's name"))
        case 48: self = .limits
        case 52: self = .demand(try reader.value())
        case 51:
            self = .files(
                try reader.value(),
                from: try reader.varint("the first file"),
                limit: try reader.varint("the limit")
            )
        case 53: self = .coordinatorKeys
        case let other: throw reader.unknown("the document's kind", other)
        }
    }
}
