@_spi(Baton) import BatonOperations

@_spi(Baton) extension AttemptStop: WireCodable {
    static let minimumLength = AttemptToken.minimumLength + OperationID.minimumLength + 2

    func write(to writer: inout ByteWriter) {
        writer.value(token)
        writer.value(operation)
        writer.zigzag(signal)
        writer.age(age)
    }

    init(from reader: inout ByteReader) throws(WireError) {
        self.init(
            token: try reader.value(),
            operation: try reader.value(),
            signal: try reader.zigzag("the signal of a stop"),
            age: try reader.age()
        )
    }
}
