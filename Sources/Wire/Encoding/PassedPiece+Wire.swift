@_spi(Baton) extension PassedPiece {
    /// The message as bytes; the length is linear in the piece.
    public func encoded() -> [UInt8] { framed() }

    /// The beginning of a message with a piece, up to the bytes of the file, which are all that follows.
    ///
    /// - Parameters:
    ///   - offset: where the piece begins in the file.
    ///   - size: the number of bytes of the whole file.
    ///   - length: the number of bytes of the piece.
    public static func beginning(
        number: UInt64,
        echo: UInt64,
        offset: UInt64,
        size: UInt64,
        length: Int
    ) -> [UInt8] {
        var message = PassedPiece(
            number: number,
            echo: echo,
            piece: FilePiece(offset: offset, size: size, bytes: [])
        )
        .framed()
        // In place of the length of a piece without bytes.
        message.removeLast()
        var prefix = ByteWriter()
        prefix.varint(length)
        return message + prefix.bytes
    }

    /// Decodes a piece that the coordinator has passed on.
    ///
    /// - Throws: ``WireError`` `malformed` unless the bytes are exactly one message of this kind.
    public init(decoding bytes: UnsafeRawBufferPointer) throws(WireError) {
        self = try ByteReader.decode(bytes) { type, reader throws(WireError) in
            try PassedPiece(type, from: &reader)
        }
    }

    /// Whether bytes begin as a piece does, which is then no message of the sender's own kind.
    public static func isPiece(_ bytes: UnsafeRawBufferPointer) -> Bool {
        bytes.count >= 2 && bytes[0] == MessageType.magic && bytes[1] == MessageType.passedPiece.rawValue
    }
}

@_spi(Baton) extension PassedPiece: WireMessage {
    var type: MessageType { .passedPiece }

    func writeFields(to writer: inout ByteWriter) {
        writer.fixed(number)
        writer.fixed(echo)
        if piece == nil, isDamaged { writer.byte(Self.damaged) } else { writer.optional(piece) }
    }

    /// The byte in place of a piece of a file that was damaged; 0 and 1 say whether there is a piece.
    fileprivate static let damaged: UInt8 = 2

    init(_ type: MessageType, from reader: inout ByteReader) throws(WireError) {
        let head = try Head(type, from: &reader)
        self.init(
            number: head.number,
            echo: head.echo,
            piece: try head.hasPiece ? reader.value() : nil,
            isDamaged: head.isDamaged
        )
    }
}

@_spi(Baton) extension PassedPiece.Head {
    /// Reads the beginning of a message alone: whoever asked for the piece reads the rest.
    ///
    /// - Throws: ``WireError`` `malformed` if the bytes do not begin as a message of this kind, or are more than one may have.
    /// - Complexity: O(1).
    public init(decoding bytes: UnsafeRawBufferPointer) throws(WireError) {
        guard bytes.count <= MessageType.passedPiece.maximumLength else {
            throw .malformed(
                "The piece of a file has \(bytes.count) bytes; at most \(MessageType.passedPiece.maximumLength) are allowed."
            )
        }
        let head = UnsafeRawBufferPointer(rebasing: bytes.prefix(Self.length))
        self = try ByteReader.decode(head) { type, reader throws(WireError) in
            try PassedPiece.Head(type, from: &reader)
        }
        guard hasPiece == (bytes.count > Self.length) else {
            throw .malformed("The piece of a file is missing in its message, or follows one without it.")
        }
    }

    /// The bytes of a message up to the piece: its first two, two numbers and a byte.
    private static let length = 2 + 8 + 8 + 1

    fileprivate init(_ type: MessageType, from reader: inout ByteReader) throws(WireError) {
        guard type == .passedPiece else { throw reader.malformed("the type", "is not that of a piece of a file") }
        let number: UInt64 = try reader.fixed("the request's number")
        let echo: UInt64 = try reader.fixed("the number of who asked")
        switch try reader.byte("whether there is a piece") {
        case 0: self.init(number: number, echo: echo, hasPiece: false)
        case 1: self.init(number: number, echo: echo, hasPiece: true)
        case PassedPiece.damaged: self.init(number: number, echo: echo, hasPiece: false, isDamaged: true)
        case let other: throw reader.unknown("whether there is a piece", other)
        }
    }
}
