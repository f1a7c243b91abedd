@_spi(Baton) import BatonOperations

@_spi(Baton) extension ListFilter: WireCodable {
    static let minimumLength = 7

    func write(to writer: inout ByteWriter) {
        writer.list(states) { $0.byte($1.rawValue) }
        writer.list(outcomes) { $0.byte($1.rawValue) }
        writer.optional(name) { $0.text($1.pattern) }
        writer.optional(queue) { $0.text($1) }
        writer.optional(worker) { $0.text($1) }
        writer.optional(since)
        writer.map(tags) { $0.text($1) }
    }

    init(from reader: inout ByteReader) throws(WireError) {
        self.init(
            states: try reader.list("the states", minimumLength: 1) { reader throws(WireError) in
                let number = try reader.byte("a state")
                guard let state = OperationState(rawValue: number) else { throw reader.unknown("a state", number) }
                return state
            },
            outcomes: try reader.list("the outcomes", minimumLength: 1) { reader throws(WireError) in
                let number = try reader.byte("an outcome")
                guard let outcome = Outcome(rawValue: number) else { throw reader.unknown("an outcome", number) }
                return outcome
            },
            name: try reader.optional("the pattern") { reader throws(WireError) in
                NameGlob(try reader.name("the pattern"))
            },
            queue: try reader.optional("the queue") { reader throws(WireError) in try reader.name("the queue") },
            worker: try reader.optional("the worker") { reader throws(WireError) in try reader.name("the worker") },
            since: try reader.optional("the moment"),
            tags: try reader.tags()
        )
    }
}
