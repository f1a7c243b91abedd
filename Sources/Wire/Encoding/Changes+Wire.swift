@_spi(Baton) import BatonOperations

@_spi(Baton) extension ExistingDependency: WireCodable {
    static let minimumLength = 1 + Address.minimumLength

    func write(to writer: inout ByteWriter) {
        writer.choice(condition)
        writer.value(target)
    }

    init(from reader: inout ByteReader) throws(WireError) {
        let condition = try reader.choice("a dependency's condition", as: DependencyCondition.self)
        self.init(on: try reader.dependencyTarget(), condition: condition)
    }
}

@_spi(Baton) extension OperationProgress: WireCodable {
    static let minimumLength = 2

    func write(to writer: inout ByteWriter) {
        writer.varint(millionths)
        writer.optional(message) { $0.text($1) }
    }

    init(from reader: inout ByteReader) throws(WireError) {
        let millionths = try reader.varint("the fraction", as: UInt32.self)
        guard millionths <= Self.whole else { throw reader.malformed("the fraction", "is above \(Self.whole)") }
        self.init(
            millionths: millionths,
            message: try reader.optional("the message") { reader throws(WireError) in
                try reader.text("the message", atMost: WireLimits.maximumProgressMessageLength)
            }
        )
    }
}

@_spi(Baton) extension ChangeReport: WireCodable {
    static let minimumLength = 3

    func write(to writer: inout ByteWriter) {
        writer.varint(changed)
        writer.list(notes) { $0.text($1) }
        writer.list(unanswered) { $0.text($1) }
    }

    init(from reader: inout ByteReader) throws(WireError) {
        self.init(
            changed: try reader.varint("the number of changes"),
            notes: try reader.list("the notes", minimumLength: 1) { reader throws(WireError) in
                try reader.text("a note")
            },
            unanswered: try reader.list("the workers", minimumLength: 1) { reader throws(WireError) in
                try reader.name("a worker's name")
            }
        )
    }
}

@_spi(Baton) extension EventPage: WireCodable {
    static let minimumLength = 3

    func write(to writer: inout ByteWriter) {
        writer.blob(lines)
        writer.varint(last)
        writer.varint(missed)
    }

    init(from reader: inout ByteReader) throws(WireError) {
        self.init(
            lines: try reader.blob("the events"),
            last: try reader.varint("the number of the last event"),
            missed: try reader.varint("the number of missed events")
        )
        guard missed <= last else {
            throw reader.malformed("the number of missed events", "is above that of the last event")
        }
    }
}
