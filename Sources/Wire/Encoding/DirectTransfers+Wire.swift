@_spi(Baton) import BatonOperations

@_spi(Baton) extension DataAddress: WireCodable {
    static let minimumLength = 1 + scheme.utf8.count + 1 + 1

    func write(to writer: inout ByteWriter) {
        writer.text(endpoint)
        writer.optional(publicKey) { $0.bytes(of: $1) }
    }

    /// Reads an address, whose endpoint may be any text of the right form: the connecting worker checks host and port.
    init(from reader: inout ByteReader) throws(WireError) {
        let endpoint = try reader.text("the endpoint of a worker", atMost: Self.maximumEndpointLength)
        let key = try reader.optional("the key of a worker's endpoint") { reader throws(WireError) in
            try reader.blob("the key of a worker's endpoint", length: Self.keyLength)
        }
        guard let address = DataAddress(endpoint: endpoint, publicKey: key) else {
            throw reader.malformed("the endpoint of a worker", "is not one of TCP")
        }
        self = address
    }
}

@_spi(Baton) extension ReaderTicket: WireCodable {
    static let minimumLength = 16

    func write(to writer: inout ByteWriter) {
        writer.fixed(high)
        writer.fixed(low)
    }

    init(from reader: inout ByteReader) throws(WireError) {
        self.init(high: try reader.fixed("a ticket"), low: try reader.fixed("a ticket"))
    }
}

@_spi(Baton) extension DirectRequest {
    /// The message as bytes.
    public func encoded() -> [UInt8] { framed() }

    /// Decodes a worker's request to another one.
    ///
    /// - Throws: ``WireError`` `malformed` unless the bytes are exactly one message of this kind.
    public init(decoding bytes: UnsafeRawBufferPointer) throws(WireError) {
        self = try ByteReader.decode(bytes) { type, reader throws(WireError) in
            try DirectRequest(type, from: &reader)
        }
    }
}

@_spi(Baton) extension DirectRequest: WireMessage {
    var type: MessageType { .directRequest }

    func writeFields(to writer: inout ByteWriter) {
        writer.fixed(number)
        writer.value(ticket)
        writer.value(digest)
        writer.varint(offset)
        writer.varint(limit)
    }

    init(_ type: MessageType, from reader: inout ByteReader) throws(WireError) {
        guard type == .directRequest else {
            throw reader.malformed("the type", "is not that of a request to another worker")
        }
        self.init(
            number: try reader.fixed("the request's number"),
            ticket: try reader.value(),
            digest: try reader.value(),
            offset: try reader.varint("the offset in a file"),
            limit: try reader.varint("the limit")
        )
    }
}
