@_spi(Baton) import BatonOperations

@_spi(Baton) extension ProtocolRange: WireCodable {
    static let minimumLength = 4

    func write(to writer: inout ByteWriter) {
        writer.fixed(oldest)
        writer.fixed(newest)
    }

    init(from reader: inout ByteReader) throws(WireError) {
        self.init(
            oldest: try reader.fixed("the oldest protocol version"),
            newest: try reader.fixed("the newest protocol version")
        )
        guard oldest <= newest else {
            throw reader.malformed("the range of protocol versions", "ends before it starts")
        }
    }
}

extension Greeting {
    /// Appends the range and the build, the beginning of every hello; the message's type gives the role.
    func write(to writer: inout ByteWriter) {
        writer.value(protocols)
        writer.text(build)
    }

    /// Reads the beginning of a hello.
    ///
    /// - Throws: ``WireError`` `incompatible` without a common version, so that the rest of the hello is not read.
    init(from reader: inout ByteReader, role: Role) throws(WireError) {
        self.init(
            role: role,
            protocols: try reader.value(),
            build: try reader.text("the build", atMost: WireLimits.maximumBuildLength)
        )
        guard ProtocolRange.own.common(with: protocols) != nil else { throw .incompatible(self) }
    }
}

@_spi(Baton) extension Secret: WireCodable {
    static let minimumLength = 1

    func write(to writer: inout ByteWriter) {
        writer.blob(bytes)
    }

    init(from reader: inout ByteReader) throws(WireError) {
        self.init(try reader.blob("a secret", atMost: Self.maximumLength))
    }
}

/// In all versions, a worker's hello begins with its ``Greeting``; fields are only ever added at its end.
@_spi(Baton) extension WorkerHello: WireCodable {
    static let minimumLength = ProtocolRange.minimumLength + SessionID.minimumLength + 31 + WorkerOffer.minimumLength

    func write(to writer: inout ByteWriter) {
        Greeting(role: .worker, protocols: protocols, build: version).write(to: &writer)
        writer.text(name)
        writer.value(session)
        writer.varint(slots)
        writer.text(host)
        writer.zigzag(processID)
        writer.fixed(life.rawValue)
        writer.varint(sessionNumber)
        writer.list(attempts)
        writer.list(types) { $0.text($1) }
        writer.fixed(id.rawValue)
        writer.flag(replaces)
        writer.varint(optionVersion)
        writer.optional(timeLeft)
        writer.value(offer)
        writer.optional(earlierStarts)
        writer.optional(filesLimit) { $0.varint($1) }
        writer.optional(keeper)
        writer.optional(echo) { $0.fixed($1) }
    }

    init(from reader: inout ByteReader) throws(WireError) {
        let greeting = try Greeting(from: &reader, role: .worker)
        self.init(
            protocols: greeting.protocols,
            version: greeting.build,
            name: try reader.name("the worker's name"),
            session: try reader.value(),
            slots: try reader.varint("the slots"),
            host: try reader.text("the host", atMost: WireLimits.maximumFileNameLength),
            processID: try reader.zigzag("the process id"),
            life: WorkerLife(rawValue: try reader.fixed("the worker's life")),
            sessionNumber: try reader.varint("the session's number"),
            attempts: try reader.list("the held attempts"),
            types: try reader.list("the types that it runs", minimumLength: 1) { reader throws(WireError) in
                try reader.name("a type that it runs")
            },
            id: WorkerID(rawValue: try reader.fixed("the worker's identity")),
            replaces: try reader.flag("whether it takes another's place"),
            optionVersion: try reader.varint("the version of its options"),
            timeLeft: try reader.optional("the time that it has left"),
            offer: try reader.value()
        )
        // A worker that speaks version 1 alone knows nothing of its directory's earlier processes, keeps no files, and repeats no number.
        if protocols.newest >= 2 {
            earlierStarts = try reader.optional("the starts of earlier processes")
            filesLimit = try reader.optional("the most bytes of files") { reader throws(WireError) in
                try reader.varint("the most bytes of files")
            }
            keeper = try reader.optional("whether it is the coordinator's own")
            echo = try reader.optional("the repeated number") { reader throws(WireError) in
                try reader.fixed("the repeated number")
            }
        }
        guard types.count <= WireLimits.maximumTypeCount else {
            throw reader.malformed("the types that it runs", "are more than are allowed")
        }
    }
}

@_spi(Baton) extension KeeperClaim: WireCodable {
    static let minimumLength = Secret.minimumLength + 1

    func write(to writer: inout ByteWriter) {
        writer.value(secret)
        writer.flag(keepsAll)
    }

    init(from reader: inout ByteReader) throws(WireError) {
        self.init(secret: try reader.value(), keepsAll: try reader.flag("whether it keeps all files"))
    }
}

@_spi(Baton) extension EarlierStarts: WireCodable {
    static let minimumLength = 2

    func write(to writer: inout ByteWriter) {
        writer.list(lives) { $0.fixed($1.rawValue) }
        writer.list(attempts)
    }

    init(from reader: inout ByteReader) throws(WireError) {
        self.init(
            lives: try reader.list("the earlier lives", minimumLength: 8, atMost: Self.maximumLives) {
                reader throws(WireError) in
                WorkerLife(rawValue: try reader.fixed("an earlier life"))
            },
            attempts: try reader.list("the attempts of earlier lives")
        )
    }
}

@_spi(Baton) extension StartedAttempt: WireCodable {
    static let minimumLength = AttemptToken.minimumLength + OperationID.minimumLength + 1

    func write(to writer: inout ByteWriter) {
        writer.value(token)
        writer.value(operation)
        writer.varint(attempt)
    }

    init(from reader: inout ByteReader) throws(WireError) {
        self.init(
            token: try reader.value(),
            operation: try reader.value(),
            attempt: try reader.varint("a started attempt's number")
        )
    }
}

@_spi(Baton) extension ClaimedAttempt: WireCodable {
    static let minimumLength = AttemptToken.minimumLength + OperationID.minimumLength + 4

    func write(to writer: inout ByteWriter) {
        writer.value(token)
        writer.value(operation)
        writer.varint(attempt)
        writer.choice(phase)
        writer.flag(isHook)
        writer.age(age)
    }

    init(from reader: inout ByteReader) throws(WireError) {
        self.init(
            token: try reader.value(),
            operation: try reader.value(),
            attempt: try reader.varint("a held attempt's number"),
            phase: try reader.choice("a held attempt's phase"),
            isHook: try reader.flag("whether a held attempt is a hook"),
            age: try reader.age()
        )
    }
}

@_spi(Baton) extension Welcome: WireCodable {
    static let minimumLength = SessionID.minimumLength + 25

    func write(to writer: inout ByteWriter) {
        writer.fixed(protocolVersion)
        writer.value(session)
        writer.varint(epoch)
        writer.fixed(incarnation.rawValue)
        writer.value(heartbeatInterval)
        writer.value(lease)
        writer.list(staleAttempts)
        writer.list(foreignAttempts)
        writer.list(recalledAttempts)
        writer.optional(operations)
        writer.fixed(record.rawValue)
        if protocolVersion >= Self.firstVersionWithPauses { writer.list(pausedAttempts) }
    }

    /// The first version of the protocol in which the coordinator names paused attempts.
    private static let firstVersionWithPauses: UInt16 = 2

    init(from reader: inout ByteReader) throws(WireError) {
        self.init(
            protocolVersion: try reader.fixed("the protocol version"),
            session: try reader.value(),
            epoch: try reader.varint("the epoch"),
            incarnation: Incarnation(rawValue: try reader.fixed("the incarnation")),
            heartbeatInterval: try reader.value(),
            lease: try reader.value(),
            staleAttempts: try reader.list("the stale attempts"),
            foreignAttempts: try reader.list("the foreign attempts"),
            recalledAttempts: try reader.list("the recalled attempts"),
            operations: try reader.optional("the keys of the worker's operations"),
            record: Incarnation(rawValue: try reader.fixed("the incarnation of the record"))
        )
        if protocolVersion >= Self.firstVersionWithPauses { pausedAttempts = try reader.list("the paused attempts") }
    }
}

/// The code travels as its name, which scripts also find.
///
/// In the answer to a hello, the code `incompatible` means a mismatch of versions, in all versions of the protocol.
@_spi(Baton) extension Refusal: WireCodable {
    static let minimumLength = 3

    func write(to writer: inout ByteWriter) {
        writer.text(code.rawValue)
        writer.text(message)
        writer.list(path) { $0.text($1) }
    }

    init(from reader: inout ByteReader) throws(WireError) {
        let name = try reader.text("the refusal's code")
        // A code of a later version is passed on to whoever asked, with its sentence.
        guard (1...64).contains(name.utf8.count), name.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw reader.malformed("the refusal's code", "is not a word of 1 to 64 visible ASCII characters")
        }
        self.init(
            Code(rawValue: name),
            try reader.text("the refusal's sentence"),
            path: try reader.list("the refusal's path", minimumLength: 1) { reader throws(WireError) in
                try reader.text("a name of the refusal's path")
            }
        )
    }
}
