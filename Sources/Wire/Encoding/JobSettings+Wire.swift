@_spi(Baton) import BatonOperations

@_spi(Baton) extension JobSettings: WireCodable {
    static let minimumLength = 3

    func write(to writer: inout ByteWriter) {
        writer.optional(maxFailures) { $0.varint($1) }
        writer.optional(hooks)
        writer.map(tags) { $0.text($1) }
    }

    init(from reader: inout ByteReader) throws(WireError) {
        self.init(
            maxFailures: try reader.optional("the maximum of failures") { reader throws(WireError) in
                try reader.varint("the maximum of failures")
            },
            hooks: try reader.optional("the job's hooks"),
            tags: try reader.tags()
        )
    }
}

extension ByteReader {
    /// Reads tags.
    mutating func tags() throws(WireError) -> [String: String] {
        let tags = try map("the tags") { reader throws(WireError) in try reader.name("the value of a tag") }
        return Dictionary(tags.map { (Name.normalized($0.key), $0.value) }) { first, _ in first }
    }
}

@_spi(Baton) extension JobHooks: WireCodable {
    static let minimumLength = 4

    func write(to writer: inout ByteWriter) {
        let given = Moment.allCases.filter { commands[$0] != nil }
        writer.list(given) { writer, moment in
            writer.text(moment.rawValue)
            writer.list(commands[moment] ?? []) { $0.text($1) }
        }
        writer.map(environment) { $0.text($1) }
        writer.optional(directory) { $0.text($1) }
        writer.optional(timeout)
    }

    init(from reader: inout ByteReader) throws(WireError) {
        let given = try reader.list("the job's hooks", minimumLength: 2) { reader throws(WireError) in
            let word = try reader.text("the moment of a hook")
            let command = try reader.list("the command of a hook", minimumLength: 1) { reader throws(WireError) in
                try reader.text("an argument")
            }
            return (word: word, command: command)
        }
        var commands: [Moment: [String]] = [:]
        var previous = -1
        for (word, command) in given {
            guard let moment = Moment(rawValue: word), let place = Moment.allCases.firstIndex(of: moment),
                place > previous
            else { throw reader.malformed("the moment of a hook", "is unknown, or in another order") }
            previous = place
            commands[moment] = command
        }
        self.init(
            commands,
            environment: try reader.map("the environment of the hooks") { reader throws(WireError) in
                try reader.text("a variable's value")
            },
            directory: try reader.optional("the directory of the hooks") { reader throws(WireError) in
                try reader.text("the directory of the hooks")
            },
            timeout: try reader.optional("the timeout of the hooks")
        )
    }
}
