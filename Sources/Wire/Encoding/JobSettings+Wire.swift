@_spi(Baton) import BatonOperations

@_spi(Baton) extension JobSettings: WireCodable {
    static let minimumLength = 3

    /// The bits of the first byte: whether there is a maximum of failures, whether there is a deadline, and whether what
    /// executes is cancelled at the maximum, too, whether the results of another job are reused, whether files are kept for a time, and
    /// whether there is a limit of files.
    ///
    /// A coordinator of 0.1.0 knows the first bit alone, and refuses a submission with another.
    private static let hasMaximum: UInt8 = 1
    private static let hasDeadline: UInt8 = 2
    private static let cancelsRunning: UInt8 = 4
    private static let reusesJob: UInt8 = 8
    private static let keepsFiles: UInt8 = 16
    private static let limitsFiles: UInt8 = 32
    private static let all = hasMaximum | hasDeadline | cancelsRunning | reusesJob | keepsFiles | limitsFiles

    func write(to writer: inout ByteWriter) {
        writer.byte(
            (maxFailures == nil ? 0 : Self.hasMaximum) | (deadline == nil ? 0 : Self.hasDeadline)
                | (cancelRunning ? Self.cancelsRunning : 0) | (reuse == nil ? 0 : Self.reusesJob)
                | (keepFiles == nil ? 0 : Self.keepsFiles) | (filesLimit == nil ? 0 : Self.limitsFiles)
        )
        if let maxFailures { writer.varint(maxFailures) }
        if let deadline { writer.value(deadline) }
        writer.optional(hooks)
        writer.map(tags) { $0.text($1) }
        if let reuse { writer.value(reuse) }
        if let keepFiles { writer.value(keepFiles) }
        if let filesLimit { writer.varint(max(0, filesLimit)) }
    }

    init(from reader: inout ByteReader) throws(WireError) {
        let present = try reader.byte("the job's settings")
        guard present & ~Self.all == 0 else {
            throw reader.unknown("the job's settings", present)
        }
        self.init(
            maxFailures: try present & Self.hasMaximum == 0
                ? nil : reader.varint("the maximum of failures", as: UInt32.self),
            cancelRunning: present & Self.cancelsRunning != 0,
            deadline: try present & Self.hasDeadline == 0 ? nil : reader.value(),
            hooks: try reader.optional("the job's hooks"),
            tags: try reader.tags(),
            reuse: try present & Self.reusesJob == 0 ? nil : reader.value(),
            keepFiles: try present & Self.keepsFiles == 0 ? nil : reader.value(),
            filesLimit: try present & Self.limitsFiles == 0
                ? nil : reader.varint("the limit of the job's files", as: Int64.self)
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
