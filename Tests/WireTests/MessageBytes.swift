@_spi(Baton) @testable import BatonWire

/// The bytes of a message of a type: the header, and the output of the closure.
func messageBytes(_ type: MessageType, _ write: (inout ByteWriter) -> Void) -> [UInt8] {
    var writer = ByteWriter()
    writer.byte(MessageType.magic)
    writer.byte(type.rawValue)
    write(&writer)
    return writer.bytes
}
