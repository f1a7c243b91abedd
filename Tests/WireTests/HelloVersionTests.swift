@_spi(Baton) import BatonOperations
import Testing

@_spi(Baton) @testable import BatonWire

@Suite("Protocol versions in hellos") struct HelloVersionTests {
    private func hello(_ type: MessageType, _ oldest: UInt16, _ newest: UInt16, then rest: [UInt8]) -> [UInt8] {
        messageBytes(type) { writer in
            writer.fixed(oldest)
            writer.fixed(newest)
            writer.text("9.1")
        } + rest
    }

    /// Ranges of which this build speaks no version.
    private static let foreign: [(UInt16, UInt16)] = [
        (ProtocolVersion.newest + 1, ProtocolVersion.newest + 2),
        (ProtocolVersion.newest + 1, ProtocolVersion.newest + 1),
        (0, ProtocolVersion.oldest - 1), (ProtocolVersion.oldest - 1, ProtocolVersion.oldest - 1), (.max, .max),
    ]

    /// The hello of a worker without attempts.
    private static let plain = WorkerHello(
        version: "1.0",
        name: "w1",
        session: SessionID(rawValue: 5),
        slots: 4,
        host: "h",
        processID: 77,
        life: WorkerLife(rawValue: 9),
        sessionNumber: 1,
        attempts: []
    )

    @Test("A hello without a common version is refused with its role and build, whatever follows", arguments: foreign)
    func helloWithoutCommonVersion(
        oldest: UInt16,
        newest: UInt16
    ) {
        let range = ProtocolRange(oldest: oldest, newest: newest)
        for rest in [[], [0xFF], [UInt8](repeating: 0xAA, count: 500)] as [[UInt8]] {
            let fromWorker = WireError.incompatible(Greeting(role: .worker, protocols: range, build: "9.1"))
            #expect(throws: fromWorker) { try incoming(hello(.workerHello, oldest, newest, then: rest)) }
            let fromClient = WireError.incompatible(Greeting(role: .client, protocols: range, build: "9.1"))
            #expect(throws: fromClient) { try incoming(hello(.clientHello, oldest, newest, then: rest)) }
        }
    }

    @Test("A hello of a newer build with a common version is accepted, and its further fields are skipped")
    func helloNewerBuildCommon()
        throws
    {
        let range = ProtocolRange(oldest: 1, newest: 9)
        let client = try incoming(hello(.clientHello, 1, 9, then: [0, 1, 2, 3]))
        #expect(client == .client(.hello(range, version: "9.1")))
        let proof = try incoming(hello(.clientHello, 1, 9, then: [1, 2, 5, 6, 3]))
        #expect(proof == .client(.hello(range, version: "9.1", proof: Secret([5, 6]))))

        let known = WorkerHello(
            protocols: range,
            version: "9.1",
            name: "w1",
            session: SessionID(rawValue: 5),
            slots: 4,
            host: "h",
            processID: 77,
            life: WorkerLife(rawValue: 1),
            sessionNumber: 1,
            attempts: []
        )
        let worker = try incoming(WorkerMessage.hello(known).encoded() + [0xFF, 0xFF, 0xFF])
        #expect(worker == .worker(.hello(known)))
    }

    @Test("A hello of version 1 ends before the starts of earlier processes, and one of version 2 has them")
    func earlierStarts() throws {
        var hello = Self.plain
        hello.protocols = ProtocolRange(oldest: 1, newest: 2)
        hello.earlierStarts = EarlierStarts(
            lives: [WorkerLife(rawValue: 7)],
            attempts: [
                StartedAttempt(
                    token: AttemptToken(epoch: 3, serial: 1042),
                    operation: OperationID(job: JobNumber(12), index: 300),
                    attempt: 2
                )
            ]
        )
        let bytes = WorkerMessage.hello(hello).encoded()
        let starts = "01" + "01" + "0700000000000000" + "01" + "0000000000000000" + "1204000000030000" + "0cac02" + "02"
        let text = bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
        #expect(text.hasSuffix(starts + "000000"))
        #expect(try incoming(bytes) == .worker(.hello(hello)))
        let known = Array(bytes.dropLast(starts.utf8.count / 2 + 3))
        #expect(throws: WireError.self) { try incoming(known) }
        hello.protocols = ProtocolRange(oldest: 1, newest: 1)
        hello.earlierStarts = nil
        let older = Array(WorkerMessage.hello(hello).encoded().dropLast(4))
        #expect(older.count == known.count)
        #expect(try incoming(older) == .worker(.hello(hello)))
    }

    @Test("A hello of version 2 tells the most bytes of files", arguments: [0, 300, .max] as [UInt64])
    func filesLimit(limit: UInt64) throws {
        var hello = Self.plain
        hello.filesLimit = limit
        let bytes = WorkerMessage.hello(hello).encoded()
        #expect(try incoming(bytes) == .worker(.hello(hello)))
        let ends = [0: "01000000", 300: "01ac020000", .max: "01ffffffffffffffffff010000"] as [UInt64: String]
        let text = bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
        #expect(text.hasSuffix(ends[limit] ?? "?"))
    }

    @Test("A hello tells whether it is that of the coordinator's own worker", arguments: [true, false])
    func keeper(keepsAll: Bool) throws {
        let hello = WorkerHello(
            version: "1.0",
            name: "archive",
            session: SessionID(rawValue: 5),
            slots: 0,
            host: "h",
            processID: 77,
            life: WorkerLife(rawValue: 9),
            sessionNumber: 1,
            attempts: [],
            keeper: KeeperClaim(secret: Secret([1, 2, 3]), keepsAll: keepsAll)
        )
        let bytes = WorkerMessage.hello(hello).encoded()
        #expect(bytes.suffix(7) == [1, 3, 1, 2, 3, keepsAll ? 1 : 0, 0])
        #expect(try incoming(bytes) == .worker(.hello(hello)))
        for count in 1...7 {
            #expect(throws: WireError.self) { try incoming(Array(bytes.dropLast(count))) }
        }
        #expect(!"\(hello)".contains("[1, 2, 3]"))
    }

    @Test(
        "A hello of version 2 repeats a number last, and one of version 1 has none",
        arguments: [nil, 0, 1, 0xFF, UInt64.max] as [UInt64?]
    )
    func echo(number: UInt64?) throws {
        var hello = Self.plain
        hello.echo = number
        let bytes = WorkerMessage.hello(hello).encoded()
        var end: [UInt8] = [number == nil ? 0 : 1]
        if let number { end += (0..<8).map { UInt8(truncatingIfNeeded: number >> (8 * UInt64($0))) } }
        #expect(Array(bytes.suffix(end.count)) == end)
        #expect(try incoming(bytes) == .worker(.hello(hello)))
        // What follows the number belongs to a later version.
        #expect(try incoming(bytes + [7, 7]) == .worker(.hello(hello)))
        for count in 1...end.count {
            #expect(throws: WireError.self) { try incoming(Array(bytes.dropLast(count))) }
        }
        hello.protocols = ProtocolRange(oldest: 1, newest: 1)
        let older = try incoming(WorkerMessage.hello(hello).encoded())
        hello.echo = nil
        #expect(older == .worker(.hello(hello)))
    }

    @Test("A hello with more earlier lives than are told, or with cut ones, is malformed")
    func malformedStarts() throws {
        var hello = Self.plain
        for count in [EarlierStarts.maximumLives, EarlierStarts.maximumLives + 1] {
            hello.earlierStarts = EarlierStarts(lives: (0..<count).map { WorkerLife(rawValue: UInt64($0)) })
            let bytes = WorkerMessage.hello(hello).encoded()
            if count <= EarlierStarts.maximumLives {
                #expect(try incoming(bytes) == .worker(.hello(hello)))
            } else {
                #expect(throws: WireError.self) { try incoming(bytes) }
            }
        }
    }

    @Test("A hello with a cut or a long proof is malformed")
    func malformedProof() {
        for rest in [[], [2], [1], [1, 2, 5], [1, 0x81, 2] + [UInt8](repeating: 0, count: 257)] as [[UInt8]] {
            let error = #expect(throws: WireError.self) { try incoming(hello(.clientHello, 1, 1, then: rest)) }
            #expect(error?.code == .malformed)
        }
    }

    @Test("No description of a hello or a welcome shows its secret")
    func hidden() {
        let secret = Secret(Array(200...231))
        let welcome = Welcome(
            protocolVersion: 1,
            session: SessionID(rawValue: 1),
            epoch: 1,
            heartbeatInterval: .seconds(1),
            lease: .seconds(1),
            staleAttempts: [],
            recalledAttempts: [],
            operations: secret
        )
        let hello = ClientMessage.hello(.own, version: "1", proof: secret)
        var dumped = ""
        dump(hello, to: &dumped)
        dump(welcome, to: &dumped)
        for text in [dumped, "\(hello)", "\(welcome)", String(reflecting: hello), String(reflecting: welcome)] {
            #expect(!text.contains("201"))
        }
    }

    @Test("A hello with a reversed range or without a build is malformed and not incompatible")
    func helloReversedRangeWithout() {
        for bytes in [hello(.clientHello, 5, 2, then: []), Array(hello(.clientHello, 5, 5, then: []).prefix(8))] {
            let error = #expect(throws: WireError.self) { try incoming(bytes) }
            #expect(error?.code == .malformed)
        }
    }

    @Test("The refusal of a hello names both ranges, both builds and the side to upgrade")
    func refusalHelloNamesBoth() {
        let own = ProtocolRange(oldest: 3, newest: 4)
        let newer = Greeting(role: .worker, protocols: ProtocolRange(oldest: 5, newest: 6), build: "2.0")
        #expect(
            newer.refusal(by: own, build: "1.0")
                == Refusal(
                    .incompatible,
                    "This worker (build 2.0) speaks protocol versions 5 to 6, and the coordinator (build 1.0) protocol "
                        + "versions 3 to 4: they have none in common. Upgrade the coordinator."
                )
        )
        let older = Greeting(role: .client, protocols: ProtocolRange(oldest: 2, newest: 2), build: "0.9")
        #expect(
            older.refusal(by: own, build: "1.0").message
                == "This client (build 0.9) speaks protocol version 2, and the coordinator (build 1.0) protocol "
                + "versions 3 to 4: they have none in common. Upgrade the client."
        )
    }

    @Test(
        "Peers speak the newest version that both know",
        arguments: [
            (1, 1, 1), (1, 5, 3), (3, 9, 3), (2, 2, 2), (4, 9, nil), (0, 0, nil),
        ] as [(UInt16, UInt16, UInt16?)]
    )
    func peersSpeakNewestVersion(oldest: UInt16, newest: UInt16, expected: UInt16?) {
        let own = ProtocolRange(oldest: 1, newest: 3)
        let other = ProtocolRange(oldest: oldest, newest: newest)
        #expect(own.common(with: other) == expected)
        #expect(other.common(with: own) == expected)
    }
}
