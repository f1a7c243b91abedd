@_spi(Baton) extension ClientMessage {
    /// The message as bytes; the length is linear in the content.
    ///
    /// Nothing is checked: the other side refuses a message with values beyond the stated limits. A message longer than
    /// ``WireLimits/maximumMessageLength`` would cost the connection, so check the length before sending.
    public func encoded() -> [UInt8] { framed() }

    /// Decodes a client's message.
    ///
    /// - Throws: ``WireError`` unless the bytes are exactly one message of this kind, and for the hello of a client without a
    ///   common version.
    /// - Complexity: O(length), in time and memory, for any bytes.
    public init(decoding bytes: UnsafeRawBufferPointer) throws(WireError) {
        self = try ByteReader.decode(bytes) { type, reader throws(WireError) in
            try ClientMessage(type, from: &reader)
        }
    }

    /// Returns the number of a request, even if the rest cannot be decoded: the sender still waits for an answer.
    ///
    /// - Returns: nil if the bytes do not begin like a request.
    public static func requestNumber(of bytes: UnsafeRawBufferPointer) -> UInt64? {
        var reader = ByteReader(bytes)
        guard let magic = try? reader.byte("the first byte"), magic == MessageType.magic,
            let type = try? reader.byte("the type"), type == MessageType.request.rawValue
        else { return nil }
        return try? reader.varint("the request's number")
    }

    /// Returns whether the bytes begin like a client's hello; the rest is not read.
    public static func isHello(_ bytes: UnsafeRawBufferPointer) -> Bool {
        bytes.count > 1 && bytes[0] == MessageType.magic && bytes[1] == MessageType.clientHello.rawValue
    }
}

@_spi(Baton) extension ClientMessage: WireMessage {
    var type: MessageType {
        switch self {
        case .hello: .clientHello
        case .request: .request
        }
    }

    func writeFields(to writer: inout ByteWriter) {
        switch self {
        case .hello(let protocols, let version, let proof):
            Greeting(role: .client, protocols: protocols, build: version).write(to: &writer)
            writer.optional(proof)
        case .request(let number, let request):
            writer.varint(number)
            writer.value(request)
        }
    }

    init(_ type: MessageType, from reader: inout ByteReader) throws(WireError) {
        switch type {
        case .clientHello:
            let greeting = try Greeting(from: &reader, role: .client)
            self = .hello(
                greeting.protocols,
                version: greeting.build,
                proof: try reader.optional("the proof of an operation")
            )
        case .request: self = .request(try reader.varint("the request's number"), try reader.value())
        default: throw reader.malformed("the type", "is not one of a client's messages")
        }
    }
}
