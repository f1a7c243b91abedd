@_spi(Baton) import BatonOperations

@_spi(Baton) extension RetryChanges: WireCodable {
    static let minimumLength = 5

    func write(to writer: inout ByteWriter) {
        writer.optional(memory) { $0.varint($1) }
        writer.optional(memoryUpTo) { $0.varint($1) }
        writer.optional(timeout)
        writer.optional(timeoutUpTo)
        writer.optional(graph)
    }

    init(from reader: inout ByteReader) throws(WireError) {
        let memory: Int64? = try reader.optional("the memory") { reader throws(WireError) in
            try reader.varint("the memory")
        }
        let memoryUpTo: Int64? = try reader.optional("the end of the memory") { reader throws(WireError) in
            try reader.varint("the end of the memory")
        }
        let timeout: Duration? = try reader.optional("the timeout")
        let timeoutUpTo: Duration? = try reader.optional("the end of the timeout")
        let graph: Submission? = try reader.optional("the graph")
        self.init(
            memory: memory,
            memoryUpTo: memoryUpTo,
            timeout: timeout,
            timeoutUpTo: timeoutUpTo,
            graph: graph
        )
        guard !isEmpty else { throw reader.malformed("the changes of a retry", "are none") }
        guard self.graph == graph else {
            throw reader.malformed("the graph of a retry", "has more than commands and settings")
        }
    }
}
