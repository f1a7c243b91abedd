@_spi(Baton) import BatonOperations

@_spi(Baton) extension LeaderRank: WireCodable {
    static let minimumLength = 17

    func write(to writer: inout ByteWriter) {
        writer.fixed(record.rawValue)
        writer.varint(epoch)
        writer.fixed(incarnation.rawValue)
    }

    init(from reader: inout ByteReader) throws(WireError) {
        self.init(
            record: Incarnation(rawValue: try reader.fixed("the incarnation of the record")),
            epoch: try reader.varint("the epoch"),
            incarnation: Incarnation(rawValue: try reader.fixed("the incarnation"))
        )
    }
}

/// An inquiry begins with its ``Greeting``, as a hello does; fields are only ever added at its end.
@_spi(Baton) extension LeaderInquiry: WireCodable {
    static let minimumLength = ProtocolRange.minimumLength + 2

    func write(to writer: inout ByteWriter) {
        Greeting(role: .worker, protocols: protocols, build: version).write(to: &writer)
        writer.optional(known)
    }

    init(from reader: inout ByteReader) throws(WireError) {
        let greeting = try Greeting(from: &reader, role: .worker)
        self.init(
            protocols: greeting.protocols,
            version: greeting.build,
            known: try reader.optional("the highest known rank")
        )
    }
}

/// Fields are only ever added at the end.
@_spi(Baton) extension Leadership: WireCodable {
    static let minimumLength = 3

    func write(to writer: inout ByteWriter) {
        writer.flag(isLeading)
        writer.optional(rank)
        writer.optional(leader) { $0.text($1) }
    }

    init(from reader: inout ByteReader) throws(WireError) {
        self.init(
            isLeading: try reader.flag("whether the coordinator leads"),
            rank: try reader.optional("the leader's rank"),
            leader: try reader.optional("the leader's address") { reader throws(WireError) in
                try reader.text("the leader's address", atMost: Self.maximumAddressLength)
            }
        )
    }
}
