/// A value with exactly one encoding.
///
/// Every encoding takes at least one byte. A reader therefore limits the count in front of a list to the elements that the
/// remaining bytes can hold.
protocol WireCodable {
    /// The fewest bytes of any value of the type, at least 1.
    static var minimumLength: Int { get }

    /// Appends the value.
    func write(to writer: inout ByteWriter)

    /// Reads a value.
    ///
    /// - Throws: ``WireError`` `malformed`, naming the field.
    init(from reader: inout ByteReader) throws(WireError)
}

/// One of the four families of messages.
protocol WireMessage {
    /// The type in front of the fields.
    var type: MessageType { get }

    /// Appends the fields.
    func writeFields(to writer: inout ByteWriter)

    /// Reads the fields of a message whose type has been read.
    ///
    /// - Throws: ``WireError``, also for a type of another family.
    init(_ type: MessageType, from reader: inout ByteReader) throws(WireError)
}

extension WireMessage {
    /// The whole message: magic, type, fields.
    func framed() -> [UInt8] {
        var writer = ByteWriter()
        writer.byte(MessageType.magic)
        writer.byte(type.rawValue)
        writeFields(to: &writer)
        return writer.bytes
    }
}

extension ByteReader {
    /// Reads one whole message: magic and type here, the fields by the closure.
    ///
    /// Bytes behind the fields are refused, unless messages of the type may grow.
    static func decode<Message>(
        _ bytes: UnsafeRawBufferPointer,
        noting progress: ReadingProgress? = nil,
        _ fields: (MessageType, inout ByteReader) throws(WireError) -> Message
    ) throws(WireError) -> Message {
        guard bytes.count <= WireLimits.maximumMessageLength else {
            throw .malformed(
                "The message has \(bytes.count) bytes; at most \(WireLimits.maximumMessageLength) are allowed."
            )
        }
        var reader = ByteReader(bytes)
        guard try reader.byte("the first byte") == MessageType.magic else {
            throw .malformed("The message is none of Baton's: it does not begin with the byte 0xBA.")
        }
        let number = try reader.byte("the type")
        guard let type = MessageType(rawValue: number) else {
            throw .malformed("The message has the type 0x\(String(number, radix: 16)), which this build does not know.")
        }
        reader.type = type
        guard bytes.count <= type.maximumLength else {
            throw reader.malformed("its length", "is \(bytes.count) bytes; at most \(type.maximumLength) are allowed")
        }
        reader.progress = progress
        let message = try fields(type, &reader)
        guard reader.remaining == 0 || type.mayGrow else {
            throw reader.malformed("the end", "is followed by \(reader.remaining) more bytes")
        }
        return message
    }
}
