@_spi(Baton) import BatonOperations

@_spi(Baton) extension OperationSignal: WireCodable {
    static let minimumLength = 1

    func write(to writer: inout ByteWriter) {
        writer.text(rawValue)
    }

    init(from reader: inout ByteReader) throws(WireError) {
        guard let signal = OperationSignal(rawValue: try reader.text("the signal")) else {
            throw reader.malformed("the signal", "is none that this build knows")
        }
        self = signal
    }
}
