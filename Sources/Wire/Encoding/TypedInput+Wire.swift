@_spi(Baton) import BatonOperations

@_spi(Baton) extension TypedInput: WireCodable {
    static let minimumLength = OperationID.minimumLength + 4

    func write(to writer: inout ByteWriter) {
        writer.value(operation)
        writer.optional(name) { $0.text($1) }
        writer.optional(type) { $0.text($1) }
        writer.choice(outcome)
        writer.optional(result) { $0.blob($1) }
    }

    init(from reader: inout ByteReader) throws(WireError) {
        self.init(
            operation: try reader.value(),
            name: try reader.optional("an input's name") { reader throws(WireError) in
                try reader.text("an input's name", atMost: WireLimits.maximumFileNameLength)
            },
            type: try reader.optional("an input's type") { reader throws(WireError) in
                try reader.name("an input's type")
            },
            outcome: try reader.choice("an input's outcome"),
            result: try reader.optional("an input") { reader throws(WireError) in
                try reader.blob("an input", atMost: AttemptResult.maximumResultLength)
            }
        )
    }
}

@_spi(Baton) extension AttemptProgress: WireCodable {
    static let minimumLength = AttemptToken.minimumLength + OperationProgress.minimumLength

    func write(to writer: inout ByteWriter) {
        writer.value(token)
        writer.value(progress)
    }

    init(from reader: inout ByteReader) throws(WireError) {
        self.init(try reader.value(), try reader.value())
    }
}
