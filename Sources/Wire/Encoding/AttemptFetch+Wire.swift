@_spi(Baton) import BatonOperations

@_spi(Baton) extension AttemptFetch: WireCodable {
    static let minimumLength = AttemptToken.minimumLength + 1

    func write(to writer: inout ByteWriter) {
        writer.value(token)
        writer.varint(present)
    }

    init(from reader: inout ByteReader) throws(WireError) {
        self.init(try reader.value(), present: try reader.varint("the bytes of an attempt's files"))
    }
}
