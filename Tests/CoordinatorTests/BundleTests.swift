@_spi(Baton) import BatonCoordinator
@_spi(Baton) import BatonOperations
import Testing
@_spi(Baton) import BatonWire

@Suite("Bundles at the coordinator's socket", .timeLimit(.minutes(60)))
struct BundleTests {
    /// A worker's control connection and its connection for files.
    private struct Worker {
        let control: Peer
        let files: Peer
        let session: SessionID

        init(_ name: String, _ number: UInt64, at endpoint: String) throws {
            control = try Peer(endpoint)
            files = try Peer(endpoint)
            session = try control.join(name, session: number, id: WorkerID(rawValue: number)).session
            try say(.filesHeld(session, [], isFirst: true))
        }

        func say(_ message: WorkerMessage) throws { try control.send(message.encoded()) }

        /// Opens the connection for files, and waits until the coordinator knows it.
        func connect() throws {
            try files.send(WorkerMessage.fileConnection(session).encoded())
            let nothing = AttemptToken(epoch: 1, serial: 1 << 40)
            let digest = try BundleTests.digest(255)
            try files.send(
                WorkerMessage.fetchPiece(session, number: 9, nothing, digest, offset: 0, limit: 1).encoded()
            )
            #expect(try files.receiveAsWorker() == .pieceUnavailable(echo: 9, isLost: false))
        }
    }

    private static func digest(_ number: Int) throws -> ContentDigest {
        try #require(ContentDigest(bytes: [UInt8](repeating: UInt8(number), count: ContentDigest.length)))
    }

    private static func bundle(_ messages: [[UInt8]]) throws -> [UInt8] {
        var bundle = MessageBundle()
        for message in messages { bundle.append(message) }
        let message = bundle.take()
        return try #require(message)
    }

    private static func parts(_ bytes: [UInt8]) throws -> [[UInt8]] {
        try bytes.withUnsafeBytes { buffer in try MessageBundle.parts(of: buffer).map { Array(buffer[$0]) } }
    }

    @Test("Requests and pieces of a bundle are taken as if each had come alone, and go on in one; others are dropped")
    func wayOfABundle() throws {
        let harness = try Harness()
        defer { harness.remove() }
        let endpoint = harness.server.endpoint
        let client = try Peer(endpoint)
        let files = try (1...30).map { number in
            KeptFile(path: "out/\(number)", size: Int64(number * 100), mode: 0o644, digest: try Self.digest(number))
        }
        let digests = files.map(\.digest)
        var work = Work(.commands([["make"]]))
        work.outputs = ["out/*"]
        let submission = Submission(
            templates: [Template(work: work), Template(work: Work(.commands([["use"]])))],
            entries: [
                Entry(template: 0), Entry(template: 1, dependencies: [Dependency(on: .entry(0), condition: .success)]),
            ]
        )
        let asker = try Worker("w1", 7, at: endpoint)
        _ = try client.ask(.submit(submission))
        let made = try asker.control.receiveAttempt()
        // The other worker is busy with something else, and has the files.
        let holder = try Worker("w2", 8, at: endpoint)
        _ = try client.ask(.submit(.noOperations([[]])))
        _ = try holder.control.receiveAttempt()
        try holder.say(.filesHeld(holder.session, digests, isFirst: false))
        try holder.control.settle(holder.session)
        var result = AttemptResult(end: .exited(0))
        result.files = files
        try asker.control.report(
            [Completion(token: made.token, operation: made.operation, result: result)],
            of: asker.session
        )
        let token = try asker.control.receiveAttempt().token
        try asker.say(.filesDropped(asker.session, digests))
        try asker.control.settle(asker.session)
        try holder.connect()
        try asker.connect()

        var requests = files.enumerated().map { place, file in
            WorkerMessage.fetchPiece(
                asker.session,
                number: UInt64(100 + place),
                token,
                file.digest,
                offset: 0,
                limit: UInt32(file.size)
            )
            .encoded()
        }
        // It would end the session.
        requests.insert(WorkerMessage.goodbye(asker.session).encoded(), at: 5)
        try asker.files.send(Self.bundle(requests))

        var pieces: [[UInt8]] = []
        for part in try Self.parts(#require(try holder.files.receive())) {
            let message = try part.withUnsafeBytes { try CoordinatorMessage(decoding: $0) }
            guard case .readPiece(let number, let echo, let digest, 0, let limit) = message else {
                throw Unexpected(answer: "\(message)")
            }
            #expect(digest == digests[pieces.count] && echo == UInt64(100 + pieces.count))
            #expect(limit == UInt32(files[pieces.count].size))
            let bytes = [UInt8](repeating: UInt8(pieces.count), count: Int(limit))
            let piece = FilePiece(offset: 0, size: UInt64(limit), bytes: bytes)
            pieces.append(PassedPiece(number: number, echo: echo, piece: piece).encoded())
        }
        #expect(pieces.count == files.count)
        // In two bundles, the second with a piece that nobody wants any more: what is left of it goes on.
        let (first, second) = (Array(pieces[..<20]), Array(pieces[20...]))
        try holder.files.send(Self.bundle(first))
        #expect(try Self.parts(#require(try asker.files.receive())) == first)
        try holder.files.send(Self.bundle([first[3]] + second))
        #expect(try Self.parts(#require(try asker.files.receive())) == second)
        // Over any other connection, a bundle says nothing.
        try client.send(Self.bundle(requests))
        try asker.control.settle(asker.session)
        try harness.stop()
    }
}
