@_spi(Baton) import BatonOperations

@_spi(Baton) extension ClientReply {
    /// The message as bytes; the length is linear in the content.
    ///
    /// Nothing is checked: the other side refuses a message with values beyond the stated limits.
    public func encoded() -> [UInt8] { framed() }

    /// Decodes a message of the coordinator to a client.
    ///
    /// - Throws: ``WireError`` `malformed` unless the bytes are exactly one message of this kind.
    /// - Complexity: O(length), in time and memory, for any bytes.
    public init(decoding bytes: UnsafeRawBufferPointer) throws(WireError) {
        self = try ByteReader.decode(bytes) { type, reader throws(WireError) in
            try ClientReply(type, from: &reader)
        }
    }
}

@_spi(Baton) extension ClientReply: WireMessage {
    var type: MessageType {
        switch self {
        case .welcome: .clientWelcome
        case .leadership: .clientLeadership
        case .refused: .clientRefused
        case .reading: .reading
        case .reply: .reply
        }
    }

    func writeFields(to writer: inout ByteWriter) {
        switch self {
        case .welcome(let protocolVersion, let version, let epoch, let rank):
            writer.fixed(protocolVersion)
            writer.text(version)
            writer.varint(epoch)
            if protocolVersion >= Self.firstVersionWithRanks { writer.optional(rank) }
        case .leadership(let leadership):
            writer.value(leadership)
        case .refused(let refusal):
            writer.value(refusal)
        case .reading(let percent):
            writer.byte(percent)
        case .reply(let number, let reply):
            writer.varint(number)
            writer.value(reply)
        }
    }

    /// The first version of the protocol in which the coordinator tells its rank.
    private static let firstVersionWithRanks: UInt16 = 2

    init(_ type: MessageType, from reader: inout ByteReader) throws(WireError) {
        switch type {
        case .clientWelcome:
            let protocolVersion: UInt16 = try reader.fixed("the protocol version")
            let build = try reader.text("the build", atMost: WireLimits.maximumBuildLength)
            let epoch: UInt32 = try reader.varint("the epoch")
            var rank: LeaderRank?
            if protocolVersion >= Self.firstVersionWithRanks { rank = try reader.optional("the coordinator's rank") }
            self = .welcome(protocolVersion: protocolVersion, version: build, epoch: epoch, rank: rank)
        case .clientLeadership: self = .leadership(try reader.value())
        case .clientRefused: self = .refused(try reader.value())
        case .reading:
            let percent = try reader.byte("the read part of a request")
            guard percent <= 100 else { throw reader.malformed("the read part of a request", "is above 100 percent") }
            self = .reading(percent: percent)
        case .reply: self = .reply(try reader.varint("the request's number"), try reader.value())
        default: throw reader.malformed("the type", "is not one of the coordinator's messages to a client")
        }
    }
}
