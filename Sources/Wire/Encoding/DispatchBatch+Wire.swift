@_spi(Baton) import BatonOperations

@_spi(Baton) extension DispatchBatch: WireCodable {
    static let minimumLength = 3

    func write(to writer: inout ByteWriter) {
        writer.list(works)
        writer.list(queues) { $0.text($1) }
        writer.list(items)
    }

    /// Reads a batch whose items refer to works and queues of the batch, and whose works have no missing or empty commands.
    init(from reader: inout ByteReader) throws(WireError) {
        self.init(
            works: try reader.list("the works"),
            queues: try reader.list("the queues", minimumLength: 1) { reader throws(WireError) in
                try reader.name("a queue's name")
            }
        )
        for work in works {
            if case .commands(let commands) = work.kind, commands.isEmpty || commands.contains(where: { $0.isEmpty }) {
                throw reader.malformed("a work", "has an empty command")
            }
        }
        items = try reader.list("the items")
        for item in items where item.work >= works.count || item.queue >= queues.count {
            throw reader.malformed("an item", "refers to a work or queue that is not in the batch")
        }
    }
}

@_spi(Baton) extension DispatchBatch.Item: WireCodable {
    static let minimumLength = AttemptToken.minimumLength + OperationID.minimumLength + 10

    func write(to writer: inout ByteWriter) {
        writer.value(assignment.token)
        writer.value(assignment.operation)
        writer.varint(assignment.attempt)
        writer.varint(work)
        writer.optional(assignment.name) { $0.text($1) }
        writer.varint(queue)
        writer.optional(assignment.qualityOfService)
        writer.optional(assignment.arrayNumber) { $0.zigzag($1) }
        writer.optional(assignment.arrayItem) { $0.text($1) }
        writer.flag(assignment.hasInputs)
        writer.varint(assignment.turn)
        writer.optional(assignment.hookOutcome) { $0.choice($1) }
    }

    init(from reader: inout ByteReader) throws(WireError) {
        let token: AttemptToken = try reader.value()
        let operation: OperationID = try reader.value()
        let attempt: UInt32 = try reader.varint("an item's attempt")
        let work: UInt32 = try reader.varint("an item's work")
        let name = try reader.optional("an item's name") { reader throws(WireError) in
            try reader.name("an item's name")
        }
        let queue: UInt32 = try reader.varint("an item's queue")
        let qualityOfService: QualityOfService? = try reader.optional("an item's quality of service")
        let arrayNumber: Int64? = try reader.optional("an item's array number") { reader throws(WireError) in
            try reader.zigzag("an item's array number")
        }
        let arrayItem = try reader.optional("an item's array item") { reader throws(WireError) in
            try reader.text("an item's array item")
        }
        let hasInputs = try reader.flag("whether an item has inputs")
        let turn: UInt64 = try reader.varint("an item's turn")
        let hookOutcome: Outcome? = try reader.optional("an item's outcome") { reader throws(WireError) in
            try reader.choice("an item's outcome")
        }
        let assignment = Assignment(
            token: token,
            operation: operation,
            attempt: attempt,
            hasInputs: hasInputs,
            qualityOfService: qualityOfService,
            hookOutcome: hookOutcome,
            turn: turn,
            name: name,
            arrayNumber: arrayNumber,
            arrayItem: arrayItem
        )
        self.init(assignment, work: work, queue: queue)
    }
}

@_spi(Baton) extension Input: WireCodable {
    static let minimumLength = 2

    func write(to writer: inout ByteWriter) {
        writer.text(name)
        writer.blob(bytes)
    }

    init(from reader: inout ByteReader) throws(WireError) {
        self.init(
            name: try reader.text("an input's name", atMost: WireLimits.maximumFileNameLength),
            bytes: try reader.blob("an input", atMost: AttemptResult.maximumResultLength)
        )
    }
}
