@_spi(Baton) import BatonOperations

/// The reader allows more members than a selection may have: the coordinator's refusal says so in words for people.
@_spi(Baton) extension EventSelection: WireCodable {
    static let minimumLength = 3

    func write(to writer: inout ByteWriter) {
        writer.list(operations)
        writer.list(jobs)
        writer.list(queues) { $0.text($1) }
    }

    init(from reader: inout ByteReader) throws(WireError) {
        self.init(
            operations: try reader.list("the operations"),
            jobs: try reader.list("the jobs"),
            queues: try reader.list("the queues", minimumLength: 1) { reader throws(WireError) in
                try reader.name("a queue's name")
            }
        )
    }
}
