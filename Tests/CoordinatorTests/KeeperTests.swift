@_spi(Baton) import BatonDigests
@_spi(Baton) import BatonDocuments
import Foundation
@_spi(Baton) import BatonKeys
@_spi(Baton) import BatonLogging
@_spi(Baton) import BatonOperations
import Testing
@_spi(Baton) import BatonWire
@_spi(Baton) import BatonWorker
@_spi(Baton) import BatonZeroMQ

@_spi(Baton) @testable import BatonCoordinator

@Suite("The worker in the coordinator's process, which keeps files", .timeLimit(.minutes(60)))
struct KeeperTests {
    /// The files of clients, as the coordinator sees them.
    private struct Files: SentFileStore {
        let keeper: Keeper

        func missing(_ digests: [ContentDigest]) -> [ContentDigest] { keeper.missing(digests) }

        func write(_ piece: SentPiece, completion: @escaping @Sendable (Result<Bool, SentPieceFailure>) -> Void) {
            keeper.write(piece, completion: completion)
        }
    }

    /// A coordinator with a keeper that has not begun.
    private final class Scene {
        let harness: Harness
        let keeper: Keeper
        private let key: CurveKeyPair?
        private let keys: KeyDirectory?
        private let isOwner: Bool

        init(
            _ name: String = "coordinator",
            keepsAll: Bool = false,
            isKeyed: Bool = false,
            limit: UInt64 = 1 << 30,
            in place: URL? = nil
        ) throws {
            isOwner = place == nil
            let directory =
                place ?? FileManager.default.temporaryDirectory.appending(path: "baton-\(UUID().uuidString)")
            try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
            let keeper = Keeper(
                name: name,
                directory: directory.appending(path: "kept").path,
                keepsAll: keepsAll,
                limit: limit,
                version: "test",
                logger: Logger(label: "keeper", level: .critical)
            )
            let key = isKeyed ? try CurveKeyPair.generate() : nil
            let keys = isKeyed ? KeyDirectory(home: directory.path) : nil
            (self.keeper, self.key, self.keys) = (keeper, key, keys)
            harness = try Harness(directory: directory) { options in
                options.keys = keys
                options.keeper = KeeperAdmission(name: name, secret: keeper.secret, key: key?.publicKey)
                options.sentFiles = Files(keeper: keeper)
            }
        }

        var endpoint: String { harness.server.endpoint }

        func begin() throws {
            var security = SocketSecurity.none
            if let key, let server = try keys?.serverKey() { security = .curveClient(server: server, key: key) }
            try keeper.begin(at: endpoint, security: security)
        }

        /// Connects with a new key of a role; without keys, as a client.
        func connect(as role: Role = .client) throws -> Peer {
            guard let keys else { return try Peer(endpoint) }
            let name = try #require(KeyName("\(role)-\(UUID().uuidString)"))
            let token = try keys.authorize(name, role: role, address: nil, at: 0)
            harness.server.reload()
            return try Peer(endpoint, security: KeyedCoordinator.security(of: token))
        }

        func write(_ content: [UInt8]) async throws -> Bool {
            let piece = try KeeperTests.piece(content)
            return try await withCheckedContinuation { continuation in
                keeper.write(piece) { continuation.resume(returning: $0) }
            }.get()
        }

        func end() throws {
            try harness.stop()
            keeper.stop()
        }

        deinit { if isOwner { harness.remove() } }
    }

    /// A file as one piece.
    private static func piece(_ content: [UInt8]) throws -> SentPiece {
        SentPiece(
            digest: try #require(ContentDigest(bytes: SHA256.digest(of: content))),
            size: UInt64(content.count),
            mode: 0o644,
            offset: 0,
            bytes: content,
            isLast: true
        )
    }

    /// A submission with a file, which a command needs that no worker takes, or nobody.
    private func submission(_ piece: SentPiece, isUsed: Bool) throws -> Submission {
        var submission = Submission(
            templates: isUsed ? [Template(work: Work(.commands([["use"]])))] : [],
            entries: isUsed ? [Entry(name: "use")] : []
        )
        try submission.send(["."])
        submission.sent?.files = [
            KeptFile(path: "a", size: Int64(piece.size), mode: piece.mode, digest: piece.digest)
        ]
        return submission
    }

    private func hello(_ name: String, keeper: KeeperClaim? = nil) -> [UInt8] {
        WorkerMessage.hello(
            WorkerHello(
                version: "test",
                name: name,
                session: SessionID(rawValue: 7),
                slots: 1,
                host: "host",
                processID: 1,
                life: WorkerLife(rawValue: 1),
                sessionNumber: 1,
                attempts: [],
                keeper: keeper
            )
        ).encoded()
    }

    @Test("A keeper starts with the first sent file, and counts as no worker", arguments: [true, false])
    func firstFile(isKeyed: Bool) async throws {
        let scene = try Scene(isKeyed: isKeyed)
        try scene.begin()
        let client = try scene.connect()
        #expect(try client.document(WorkersDocument.self, .workers).workers.isEmpty)
        let content = [UInt8](repeating: 7, count: 100_000)
        #expect(try await scene.write(content))
        let workers = try client.document(WorkersDocument.self, .workers).workers
        #expect(workers.map(\.worker) == ["coordinator"] && workers.map(\.keeper) == [true])
        #expect(workers.map(\.slots) == [0])
        let status = try client.document(StatusDocument.self, .status)
        #expect(status.workers == 0 && status.slots == 0)
        // Sent again, it is there already.
        #expect(try await scene.write(content))
        try scene.end()
    }

    @Test("FI9 The files of finished jobs give way to what is sent, and those of unfinished jobs do not")
    func room() throws {
        let scene = try Scene(limit: 1000)
        try scene.begin()
        let client = try scene.connect()
        let pieces = try (1...3 as ClosedRange<UInt8>).map { try Self.piece([UInt8](repeating: $0, count: 600)) }
        #expect(try client.ask(.sentPiece(pieces[0])) == .received(isWhole: true))
        let finished = try submission(pieces[0], isUsed: false)
        #expect(try client.ask(.submit(finished)) == .job(JobNumber(1), operations: 1, isNew: true))
        let wait = Request.wait([.job(JobNumber(1))], queue: nil, atMost: .seconds(50), waiter: nil)
        guard case .progress(let progress) = try client.ask(wait), progress.isFinished else {
            throw Unexpected(answer: "The job is not finished.")
        }
        // The client sends the file again until the other one has gone.
        var refusals: [Refusal] = []
        while case .refused(let refusal) = try client.ask(.sentPiece(pieces[1])) {
            refusals.append(refusal)
            try #require(refusal.code == .unavailable && refusal.message.contains("being removed"), "\(refusal)")
        }
        #expect(!refusals.isEmpty)
        let digests = pieces.prefix(2).map(\.digest)
        #expect(try client.ask(.missingFiles(digests, bytes: 1200)) == .digests([pieces[0].digest]))
        guard case .refused(let unsent) = try client.ask(.submit(finished)) else {
            throw Unexpected(answer: "no refusal")
        }
        #expect(unsent.code == .unsentFiles)
        let needing = try submission(pieces[1], isUsed: true)
        guard case .job = try client.ask(.submit(needing)) else { throw Unexpected(answer: "no job") }
        // The word that the first file has gone may still be on its way.
        var full = try #require(refusals.last)
        while full.code == .unavailable, case .refused(let refusal) = try client.ask(.sentPiece(pieces[2])) {
            full = refusal
        }
        #expect(full.code == .storage && full.message.contains("unfinished jobs"), "\(full)")
        #expect(try client.ask(.missingFiles(digests, bytes: 1200)) == .digests([pieces[0].digest]))
        try scene.end()
    }

    @Test("A keeper that has kept something is there again after a restart", arguments: [true, false])
    func restart(isKeyed: Bool) async throws {
        let place = FileManager.default.temporaryDirectory.appending(path: "baton-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: place) }
        let content = Array("sent".utf8)
        let digest = try #require(ContentDigest(bytes: SHA256.digest(of: content)))
        do {
            let scene = try Scene(isKeyed: isKeyed, in: place)
            try scene.begin()
            #expect(scene.keeper.missing([digest]) == [digest])
            #expect(try await scene.write(content))
            #expect(scene.keeper.missing([digest]).isEmpty)
            try scene.end()
        }
        let scene = try Scene(isKeyed: isKeyed, in: place)
        try scene.begin()
        #expect(scene.keeper.missing([digest]).isEmpty)
        #expect(try await scene.write(content))
        try scene.end()
    }

    @Test("Nobody else can say that it is the keeper, or have its name", arguments: [true, false])
    func strangers(isKeyed: Bool) throws {
        let scene = try Scene("archive", keepsAll: true, isKeyed: isKeyed)
        let claims = [
            KeeperClaim(secret: Secret([]), keepsAll: true),
            KeeperClaim(secret: Secret([UInt8](repeating: 0, count: 32)), keepsAll: true),
            KeeperClaim(secret: Secret(Array(scene.keeper.secret.bytes.dropLast())), keepsAll: false),
        ]
        for claim in claims {
            for name in ["archive", "w1"] {
                let peer = try scene.connect(as: .worker)
                try peer.send(hello(name, keeper: claim))
                guard case .refused(let refusal)? = try peer.receiveAsWorker() else {
                    throw Unexpected(answer: "no refusal of \(name)")
                }
                #expect(refusal.code == .notAllowed && refusal.message.contains(name))
            }
        }
        let peer = try scene.connect(as: .worker)
        try peer.send(hello("archive"))
        guard case .refused(let refusal)? = try peer.receiveAsWorker() else { throw Unexpected(answer: "no refusal") }
        #expect(refusal.code == .invalid && refusal.message.contains("archive"))
        // The name of a keeper that there is not is a name as any other.
        try peer.send(hello("coordinator"))
        guard case .welcome? = try peer.receiveAsWorker() else { throw Unexpected(answer: "no welcome") }
        try scene.end()
    }

    @Test("Without a keeper, a worker that says that it is one is refused")
    func none() throws {
        let harness = try Harness()
        defer { harness.remove() }
        let peer = try Peer(harness.server.endpoint)
        try peer.send(hello("archive", keeper: KeeperClaim(secret: Secret([1]), keepsAll: true)))
        guard case .refused(let refusal)? = try peer.receiveAsWorker() else { throw Unexpected(answer: "no refusal") }
        #expect(refusal.code == .notAllowed)
        try harness.stop()
    }
}
