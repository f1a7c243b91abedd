extension ClientMessage {
    /// The message as bytes; its length is linear in what it carries.
    ///
    /// Nothing is checked: values beyond the stated limits make a message that the other side refuses. A message longer
    /// than ``WireLimits/maximumMessageLength`` would cost the connection, so look before sending it.
    public func encoded() -> [UInt8] { framed() }

    /// Decodes a client's message.
    ///
    /// - Throws: ``WireError`` where the bytes are not exactly one such message, or are the hello of a client that speaks no
    ///   common version.
    /// - Complexity: O(length), in time and memory, whatever the bytes are.
    public init(decoding bytes: UnsafeRawBufferPointer) throws(WireError) {
        self = try ByteReader.decode(bytes) { type, reader throws(WireError) in
            try ClientMessage(type, from: &reader)
        }
    }

    /// The number of a request, also of one that cannot be decoded: who sent it waits for an answer all the same.
    ///
    /// - Returns: nil where the bytes do not begin as a request does.
    public static func requestNumber(of bytes: UnsafeRawBufferPointer) -> UInt64? {
        var reader = ByteReader(bytes)
        guard let magic = try? reader.byte("the first byte"), magic == MessageType.magic,
            let type = try? reader.byte("the type"), type == MessageType.request.rawValue
        else { return nil }
        return try? reader.varint("the request's number")
    }
}

extension ClientMessage: WireMessage {
    var type: MessageType {
        switch self {
        case .hello: .clientHello
        case .request: .request
        }
    }

    func writeFields(to writer: inout ByteWriter) {
        switch self {
        case .hello(let protocols, let version):
            Greeting(role: .client, protocols: protocols, build: version).write(to: &writer)
        case .request(let number, let request):
            writer.varint(number)
            writer.value(request)
        }
    }

    init(_ type: MessageType, from reader: inout ByteReader) throws(WireError) {
        switch type {
        case .clientHello:
            let greeting = try Greeting(from: &reader, role: .client)
            self = .hello(greeting.protocols, version: greeting.build)
        case .request: self = .request(try reader.varint("the request's number"), try reader.value())
        default: throw reader.malformed("the type", "is not one of a client's messages")
        }
    }
}
