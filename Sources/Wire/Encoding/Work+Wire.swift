import BatonOperations

extension Work: WireCodable {
    static let minimumLength = 6

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
        // Sorts by bytes, so that equal works have equal encodings.
        let variables = environment.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
        writer.list(variables) { writer, variable in
            writer.text(variable.key)
            writer.text(variable.value)
        }
        writer.optional(directory) { $0.text($1) }
        writer.optional(standardInput) { $0.text($1) }
        writer.optional(timeout)
        switch gracePeriod {
        case .after(let duration): writer.optional(duration)
        case .forever: writer.optional(Duration?.none)
        }
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
        self.init(
            kind,
            environment: try Self.environment(from: &reader),
            directory: try reader.optional("the directory") { reader throws(WireError) in
                try reader.text("the directory")
            },
            standardInput: try reader.optional("the standard input") { reader throws(WireError) in
                try reader.text("the standard input")
            },
            timeout: try reader.optional("the timeout"),
            gracePeriod: try reader.optional("the grace period").map(GracePeriod.after) ?? .forever
        )
    }

    private static func environment(from reader: inout ByteReader) throws(WireError) -> [String: String] {
        let variables = try reader.list("the environment", minimumLength: 2) { reader throws(WireError) in
            (key: try reader.text("a variable's name"), value: try reader.text("a variable's value"))
        }
        var environment = [String: String](minimumCapacity: variables.count)
        var previous: String?
        for (key, value) in variables {
            if let previous, !previous.utf8.lexicographicallyPrecedes(key.utf8) {
                throw reader.malformed("the environment", "is not in the order of its names")
            }
            // Names with different bytes may still be equal texts.
            guard environment.updateValue(value, forKey: key) == nil else {
                throw reader.malformed("the environment", "has a name twice")
            }
            previous = key
        }
        return environment
    }
}
