@_spi(Baton) import BatonLogging
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonThreads
@_spi(Baton) import BatonWire
@_spi(Baton) import BatonZeroMQ
import Testing

@_spi(Baton) @testable import BatonWorker

@Suite("The transfers between workers directly", .timeLimit(.minutes(60)))
struct DirectTransferTests {
    private static func token(_ serial: UInt64) -> AttemptToken { AttemptToken(epoch: 1, serial: serial) }

    @Test("FI3 Large files come directly after their first pieces, as they are, and small ones through the coordinator")
    func sizes() async throws {
        try await withTemporaryDirectory { directory in
            let pair = try FilePair(directory)
            defer { pair.close() }
            let (relay, holder, receiver) = (pair.relay, pair.holder, pair.receiver)
            let address = try holder.listen()
            #expect(address.endpoint.hasPrefix("tcp://127.0.0.1:") && !address.endpoint.hasSuffix("*"))
            #expect(address.publicKey == nil)
            pair.welcome()
            // The holder tells the coordinator its address for readers before it has any file.
            try relay.run(asking: nil) { relay.addresses[holder.session] == address }
            let lengths = [20 << 20, 3_000_000, 1 << 20, 1 << 20 + 1, 1000]
            let contents = lengths.enumerated().map { KeptContent(varied: $0.offset, length: $0.element) }
            for content in contents { try content.put(in: holder.bench.store) }
            for (number, content) in contents.enumerated() {
                try receiver.thread.fetch([content.input()], of: Self.token(UInt64(number) + 1))
                let requests = relay.requests
                try relay.run(asking: holder.session, mailbox: receiver.mailbox) { receiver.outcomes() > number }
                #expect(try receiver.bench.store.holds(content.digest()))
                try receiver.bench.store.link(content.file(), to: directory + "/link")
                #expect(content.isAt(directory + "/link"))
                FileTree.remove(directory + "/link")
                // The first large file fills the window with requests to the relay before the relay names the holder. Later
                // files need fewer requests.
                let expected = [32...80, 1...12, 4...4, 1...5, 1...1][number]
                #expect(expected.contains(relay.requests - requests), "\(relay.requests - requests) of \(number)")
            }
            #expect(receiver.fetched.count == contents.count)
            try relay.run(asking: nil) { (relay.directBytes[receiver.session] ?? 0) > 0 }
            try receiver.bench.check()
        }
    }

    @Test(
        "A worker that cannot be reached is passed over: the file comes through the coordinator",
        arguments: ["tcp://localhost:1", "tcp://127.0.0.1:1"]
    )
    func unreachable(endpoint: String) async throws {
        try await withTemporaryDirectory { directory in
            let pair = try FilePair(directory)
            defer { pair.close() }
            let (relay, holder, receiver) = (pair.relay, pair.holder, pair.receiver)
            try holder.listen()
            // No process listens at that port. The search finds this out for a name, and the connection for an IP address.
            relay.shownAddress = { _ in DataAddress(endpoint: endpoint, publicKey: nil) }
            pair.welcome()
            try relay.run(asking: nil) { relay.addresses[holder.session] != nil }
            for number in 1...2 {
                let content = KeptContent(varied: number, length: 12 << 20)
                try content.put(in: holder.bench.store)
                try receiver.thread.fetch([content.input()], of: Self.token(UInt64(number)))
                try relay.run(asking: holder.session, mailbox: receiver.mailbox) { receiver.outcomes() >= number }
            }
            #expect(receiver.fetched.count == 2 && relay.directBytes.isEmpty)
            #expect(relay.requests >= 96)
            try receiver.bench.check()
        }
    }

    @Test("An address that another process has, or that is none of this host, is told in a sentence")
    func addresses() async throws {
        try await withTemporaryDirectory { directory in
            let relay = try FileRelay()
            defer { relay.close() }
            let first = try FileBench(directory, 1, at: relay.endpoint)
            let second = try FileBench(directory, 2, at: relay.endpoint)
            defer { for bench in [first, second] { bench.thread.stop() } }
            let address = try first.listen()
            let taken = try #require(DataEndpoint(address.endpoint))
            let inUse = #expect(throws: WorkerError.self) { try second.thread.listen(at: taken) }
            #expect(inUse?.code == .addressInUse && inUse?.mayPass == true)
            let foreign = try #require(DataEndpoint("tcp://192.0.2.1:*"))
            let missing = #expect(throws: WorkerError.self) { try second.thread.listen(at: foreign) }
            #expect(missing?.code == .addressMissing && missing?.mayPass == false)
            #expect(missing?.message.contains("tcp://192.0.2.1") == true)
            // The worker may try again with another address.
            try second.listen()
        }
    }
}

/// A worker that gives files and one that reads them, with keys, on the thread of the test.
private final class DirectPair {
    let bench: StoreBench
    let server: DataServer
    let links: HolderLinks
    let letters: PolledMailbox<FileLoop.Letter>
    private let poller = Poller()
    private let contexts: [Context]
    private(set) var answers: [PassedPiece] = []
    /// The workers whose connections have ended.
    private(set) var ended: Set<DataAddress> = []
    private var isServing = true

    init(_ directory: String, hasKeys: Bool = true, readerHasKeys: Bool = true) throws {
        bench = try StoreBench(directory + "/files")
        letters = try PolledMailbox()
        contexts = [try Context(maximumSockets: 64), try Context(maximumSockets: 128)]
        guard let endpoint = DataEndpoint("tcp://127.0.0.1:*") else { throw Overdue() }
        server = try DataServer(
            at: endpoint,
            hasKeys: hasKeys,
            giving: bench.store,
            in: contexts[0],
            poller: poller,
            letters: letters,
            logger: Logger(label: "worker", level: .critical)
        )
        let security: SocketSecurity =
            try readerHasKeys ? .curveClient(server: CurveKeyPair.generate().publicKey, key: .generate()) : .none
        let way = FileLoop.Way(coordinator: "tcp://127.0.0.1:1", security: security, resolver: .system, patience: .zero)
        links = HolderLinks(way: way, poller: poller, letters: letters)
        _ = poller.add(letters.bell)
    }

    func close() {
        links.closeAll()
        closeServer()
    }

    /// Ends the worker that gives files.
    func closeServer() {
        if isServing { server.close() }
        isServing = false
    }

    /// Asks the worker, or another address.
    @discardableResult
    func ask(
        _ request: DirectRequest,
        of address: DataAddress? = nil,
        at now: Duration = .zero
    ) throws -> DataAddress? {
        let context = contexts[1]
        return try links.ask(
            request,
            of: address ?? server.address,
            at: now,
            in: { () throws(ZeroMQError) -> Context in context }
        )
    }

    /// Lets both work until a condition holds.
    ///
    /// - Parameter mostMessages: the most messages that are read at once.
    func run(mostMessages: Int = 32, until isDone: () -> Bool) throws {
        let deadline = ContinuousClock.now + FakeCoordinator.patience
        while !isDone() {
            guard ContinuousClock.now < deadline else { throw Overdue() }
            try poller.poll(timeout: isServing && server.canServe ? .zero : .milliseconds(100))
            for letter in letters.takeAll() {
                if case .freedDirectly(let count, let peer) = letter { server.freed(count, of: peer) }
            }
            if isServing {
                try server.receive(at: .zero)
                try server.serve()
            }
            var pieces: [PassedPiece] = []
            ended.formUnion(links.receive(atMost: mostMessages, at: .zero) { piece, _ in pieces.append(piece) })
            answers += pieces
        }
    }
}

@Suite("The sockets between workers", .timeLimit(.minutes(60)))
struct DirectSocketTests {
    private func content(_ length: Int) -> KeptContent {
        KeptContent((0..<length).map { UInt8(truncatingIfNeeded: $0 * 7 + $0 >> 9) })
    }

    private func request(
        _ number: UInt64,
        _ ticket: ReaderTicket,
        _ digest: ContentDigest,
        from offset: Int
    ) -> DirectRequest {
        DirectRequest(number: number, ticket: ticket, digest: digest, offset: UInt64(offset), limit: 100_000)
    }

    @Test(
        "FI11 A reader with a ticket gets the file of the ticket, and other readers get no answer",
        arguments: [true, false]
    )
    func tickets(hasKeys: Bool) async throws {
        try await withTemporaryDirectory { directory in
            let pair = try DirectPair(directory, hasKeys: hasKeys, readerHasKeys: hasKeys)
            defer { pair.close() }
            #expect((pair.server.address.publicKey != nil) == hasKeys)
            let (wanted, other) = (content(250_000), content(10))
            for content in [wanted, other] { try content.put(in: pair.bench.store) }
            let (digest, ticket) = (try wanted.digest(), ReaderTicket.random())
            // An unknown ticket; a ticket for another file; a ticket for a file that the worker does not have.
            try pair.ask(request(1, .random(), digest, from: 0))
            pair.server.admit(ticket, to: digest, for: .seconds(600), at: .zero)
            try pair.ask(request(2, ticket, other.digest(), from: 0))
            let lost = ReaderTicket.random()
            pair.server.admit(lost, to: FetchScene.digest(9), for: .seconds(600), at: .zero)
            try pair.ask(request(3, lost, FetchScene.digest(9), from: 0))
            for (number, offset) in [(UInt64(4), 0), (5, 100_000), (6, 200_000)] {
                try pair.ask(request(number, ticket, digest, from: offset))
            }
            try pair.run { pair.answers.contains { $0.number == 6 } }
            let answers = pair.answers
            #expect(answers.map(\.number) == [3, 4, 5, 6] && answers.allSatisfy { $0.echo == $0.number })
            #expect(answers.map { $0.piece == nil } == [true, false, false, false])
            #expect(answers.compactMap(\.piece).flatMap(\.bytes) == wanted.bytes)
            #expect(answers.compactMap(\.piece).allSatisfy { $0.size == 250_000 })
            // A ticket ends with its session; a ticket of the next session is valid.
            pair.server.endSession()
            try pair.ask(request(7, ticket, digest, from: 0))
            let next = ReaderTicket.random()
            pair.server.admit(next, to: digest, for: .seconds(600), at: .zero)
            try pair.ask(request(8, next, digest, from: 0))
            try pair.run { pair.answers.contains { $0.number == 8 } }
            #expect(!pair.answers.contains { $0.number == 7 })
            #expect(pair.links.count == 1)
        }
    }

    @Test("A worker with keys sends nothing to a worker without keys, and accepts no server with another key")
    func keys() async throws {
        try await withTemporaryDirectory { directory in
            let pair = try DirectPair(directory, hasKeys: false, readerHasKeys: true)
            defer { pair.close() }
            let ticket = ReaderTicket.random()
            let obstacle = #expect(throws: HolderLinks.Obstacle.self) {
                try pair.ask(request(1, ticket, FetchScene.digest(1), from: 0))
            }
            #expect(obstacle?.description.contains("without keys") == true)
        }
        try await withTemporaryDirectory { directory in
            let pair = try DirectPair(directory)
            defer { pair.close() }
            let content = self.content(1000)
            try content.put(in: pair.bench.store)
            let (digest, ticket) = (try content.digest(), ReaderTicket.random())
            pair.server.admit(ticket, to: digest, for: .seconds(600), at: .zero)
            let key = try CurveKeyPair.generate().publicKey.bytes
            let impostor = try #require(DataAddress(endpoint: pair.server.address.endpoint, publicKey: key))
            try pair.ask(request(1, ticket, digest, from: 0), of: impostor)
            try pair.ask(request(2, ticket, digest, from: 0))
            try pair.run { !pair.answers.isEmpty }
            #expect(pair.answers.map(\.number) == [2])
        }
    }

    @Test(
        "The connection shows that a worker has ended, once all pieces that it sent are read",
        arguments: [1, 32],
        [true, false]
    )
    func killed(mostMessages: Int, hasKeys: Bool) async throws {
        try await withTemporaryDirectory { directory in
            let pair = try DirectPair(directory, hasKeys: hasKeys, readerHasKeys: hasKeys)
            defer { pair.close() }
            let content = self.content(250_000)
            try content.put(in: pair.bench.store)
            let (digest, ticket) = (try content.digest(), ReaderTicket.random())
            pair.server.admit(ticket, to: digest, for: .seconds(600), at: .zero)
            for (number, offset) in [(UInt64(1), 0), (2, 100_000), (3, 200_000)] {
                try pair.ask(request(number, ticket, digest, from: offset))
            }
            try pair.run(mostMessages: mostMessages) { pair.answers.count == 3 }
            #expect(pair.ended.isEmpty)
            // This request has an unknown ticket, and gets no answer.
            try pair.ask(request(4, .random(), digest, from: 0))
            pair.closeServer()
            try pair.run(mostMessages: mostMessages) { pair.ended == [pair.server.address] }
            #expect(pair.answers.map(\.number) == [1, 2, 3])
            pair.links.close(pair.server.address)
            #expect(pair.links.count == 0)
        }
    }

    @Test("The connection reports an address without a listener, and a wrong key", arguments: [true, false])
    func refused(isOtherKey: Bool) async throws {
        try await withTemporaryDirectory { directory in
            let pair = try DirectPair(directory, hasKeys: isOtherKey, readerHasKeys: isOtherKey)
            defer { pair.close() }
            var address = pair.server.address
            if isOtherKey {
                let key = try CurveKeyPair.generate().publicKey.bytes
                address = try #require(DataAddress(endpoint: address.endpoint, publicKey: key))
            } else {
                pair.closeServer()
            }
            try pair.ask(request(1, .random(), FetchScene.digest(1), from: 0), of: address)
            try pair.run { pair.ended == [address] }
            #expect(pair.answers.isEmpty)
        }
    }

    @Test("Beyond the most connections, the least recently used one is closed, and so are those without a use")
    func manyLinks() async throws {
        try await withTemporaryDirectory { directory in
            let pair = try DirectPair(directory, hasKeys: false, readerHasKeys: false)
            defer { pair.close() }
            let addresses = try (1...(HolderLinks.mostLinks + 2)).map {
                try #require(DataAddress(endpoint: "tcp://127.0.0.1:\($0)", publicKey: nil))
            }
            let request = self.request(1, .random(), FetchScene.digest(1), from: 0)
            for (place, address) in addresses.prefix(HolderLinks.mostLinks).enumerated() {
                #expect(try pair.ask(request, of: address, at: .seconds(place)) == nil)
            }
            #expect(try pair.ask(request, of: addresses[0], at: .seconds(20)) == nil)
            #expect(try pair.ask(request, of: addresses[HolderLinks.mostLinks], at: .seconds(21)) == addresses[1])
            #expect(try pair.ask(request, of: addresses[HolderLinks.mostLinks + 1], at: .seconds(22)) == addresses[2])
            #expect(pair.links.count == HolderLinks.mostLinks)
            // What is not used for a while is closed, too.
            #expect(pair.links.nextDeadline == .seconds(63))
            pair.links.closeIdle(at: .seconds(79))
            #expect(pair.links.count == 3 && pair.links.nextDeadline == .seconds(80))
            pair.links.closeAll()
            #expect(pair.links.count == 0)
        }
    }
}
