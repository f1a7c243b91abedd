@_spi(Baton) import BatonOperations

@_spi(Baton) extension Work: WireCodable {
    static let minimumLength = 2

    func write(to writer: inout ByteWriter) {
        switch kind {
        case .noOperation:
            writer.byte(0)
        case .commands(let commands):
            writer.byte(1)
            writer.list(commands) { writer, command in
                writer.list(command) { $0.text($1) }
            }
        case .typed(let type, let argument):
            writer.byte(2)
            writer.text(type)
            writer.blob(argument)
        }
        writer.options(of: self, in: Self.options)
    }

    init(from reader: inout ByteReader) throws(WireError) {
        let kind: Kind
        switch try reader.byte("the work's kind") {
        case 0: kind = .noOperation
        case 1:
            kind = .commands(
                try reader.list("the commands", minimumLength: 1) { reader throws(WireError) in
                    try reader.list("the command", minimumLength: 1) { reader throws(WireError) in
                        try reader.text("an argument")
                    }
                }
            )
        case 2:
            kind = .typed(
                type: try reader.name("the operation's type"),
                argument: try reader.blob("the operation's argument", atMost: Self.maximumArgumentLength)
            )
        case let other: throw reader.unknown("the work's kind", other)
        }
        self.init(kind)
        try reader.options(into: &self, in: Self.options)
    }
}
