import Foundation
import Testing
@_spi(Baton) import BatonKeys
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWire
@_spi(Baton) import BatonZeroMQ

@_spi(Baton) @testable import BatonCoordinator

@Suite("The proofs of running operations", .timeLimit(.minutes(60)))
struct OperationProofTests {
    private let noOperation = Refusal(
        .notAllowed,
        "The key local-operation is for operations, and the connection has no valid token of an operation."
    )

    /// Starts an operation on a new worker.
    private func start(_ coordinator: KeyedCoordinator) throws -> (worker: KeyedWorker, assignment: Assignment) {
        let client = try coordinator.connect(as: .client)
        let worker = try KeyedWorker(coordinator)
        _ = try client.ask(.submit(.inQueue("q", count: 1)))
        return (worker, try worker.start())
    }

    @Test("The transport key permits nothing without a proof")
    func noProof() throws {
        let coordinator = try KeyedCoordinator()
        let (worker, assignment) = try start(coordinator)
        let peer = try coordinator.connectSilently(worker.token(of: assignment))
        #expect(try peer.ask(.document(.status)) == .refused(noOperation))
        #expect(try peer.greet() == .refused(noOperation))
        #expect(try peer.ask(.submit(.inQueue("q", count: 1))) == .refused(noOperation))
        try coordinator.stop()
    }

    @Test("A proof with a forged code, of another secret or of nonsense is refused, and permits nothing")
    func forged() throws {
        let coordinator = try KeyedCoordinator()
        let (worker, assignment) = try start(coordinator)
        let token = worker.token(of: assignment)
        var changed = token.proof.bytes
        changed[changed.count - 1] ^= 1
        let strange = KeyDirectory(home: coordinator.directory.appending(path: "strange").path)
        let other = try strange.open(at: 0).operationKeys.issuer(for: worker.id.rawValue)
        let proofs = [changed, other.token(for: token.proof.claim).proof.bytes, [], [UInt8](repeating: 0, count: 256)]
        for proof in proofs {
            let peer = try coordinator.connectSilently(token)
            let hello = ClientMessage.hello(.own, version: "test", proof: Secret(proof))
            try peer.send(hello.encoded())
            #expect(try peer.receiveAsClient() == .refused(noOperation))
            #expect(try peer.ask(.document(.status)) == .refused(noOperation))
            // A valid proof on the same connection counts, and a forged one ends it again.
            guard case .welcome? = try peer.greet(with: token.proof) else { throw Unexpected(answer: "no welcome") }
            #expect(!peer.isNotAllowed(.document(.status)))
            try peer.send(hello.encoded())
            #expect(try peer.receiveAsClient() == .refused(noOperation))
            #expect(try peer.ask(.document(.status)) == .refused(noOperation))
        }
        try coordinator.stop()
    }

    @Test("A worker cannot make the token of another worker's operation")
    func otherWorker() throws {
        let coordinator = try KeyedCoordinator()
        let (first, assignment) = try start(coordinator)
        let second = try KeyedWorker(coordinator, "w2", id: WorkerID(rawValue: 6), session: 8)
        let lie = second.token(of: assignment, claimedOn: first.id)
        #expect(try coordinator.connectSilently(lie).greet(with: lie.proof) == .refused(noOperation))
        // The code is the second worker's own, and the attempt is not.
        let peer = try coordinator.connect(second.token(of: assignment))
        #expect(peer.isNotAllowed(.document(.status)))
        try coordinator.stop()
    }

    @Test("A proof is refused on the connection of another key, whose holder may go on without it")
    func otherKey() throws {
        let coordinator = try KeyedCoordinator()
        let (worker, assignment) = try start(coordinator)
        let proof = worker.token(of: assignment).proof
        let client = try coordinator.connect(coordinator.authorize("laptop", .client))
        let refusal = Refusal(
            .notAllowed,
            "The key laptop is a client's, and may not be used with the token of an operation."
        )
        #expect(try client.greet(with: proof) == .refused(refusal))
        guard case .welcome? = try client.greet() else { throw Unexpected(answer: "no welcome") }
        #expect(!client.isNotAllowed(.setQueue(QueueChange(name: "q", maxConcurrent: .atMost(1)))))
        let viewer = try coordinator.connect(coordinator.authorize("wall", .viewer))
        guard case .refused? = try viewer.greet(with: proof) else { throw Unexpected(answer: "welcomed") }
        #expect(viewer.isNotAllowed(.submit(.inQueue("q", count: 1))))
        try coordinator.stop()
    }

    @Test("A later connection with the address of an ended one does not inherit its operation")
    func address() throws {
        let coordinator = try KeyedCoordinator()
        let (worker, assignment) = try start(coordinator)
        let token = worker.token(of: assignment)
        let address = try #require(RoutingID(Array("operation".utf8)))
        for _ in 0..<5 {
            var first: Peer? = try coordinator.connect(token, routingID: address)
            #expect(first?.isNotAllowed(.document(.status)) == false)
            first = nil
            let second = try coordinator.connectSilently(token, routingID: address)
            #expect(try second.ask(.document(.status)) == .refused(noOperation))
        }
        try coordinator.stop()
    }

    @Test("Peers that also speak the version before or the next one are answered in the common version")
    func versions() throws {
        let coordinator = try KeyedCoordinator()
        let worker = try coordinator.connect(as: .worker)
        let client = try coordinator.connect(as: .client)
        for (number, other) in [(UInt64(7), ProtocolVersion.oldest - 1), (8, ProtocolVersion.newest + 1)] {
            let range = ProtocolRange(
                oldest: min(other, ProtocolVersion.newest),
                newest: max(other, ProtocolVersion.newest)
            )
            let welcome = try worker.join(
                "w\(number)",
                session: number,
                id: WorkerID(rawValue: number),
                protocols: range
            )
            #expect(welcome.protocolVersion == ProtocolVersion.newest)
            guard case .welcome(ProtocolVersion.newest, _, _, _)? = try client.greet(protocols: range) else {
                throw Unexpected(answer: "another version")
            }
        }
        try coordinator.stop()
    }

    @Test("A coordinator without keys gives workers no keys of operations, and does not look at proofs")
    func withoutKeys() throws {
        let harness = try Harness()
        defer { harness.remove() }
        let worker = try Peer(harness.server.endpoint)
        let welcome = try worker.join("w1", session: 7, id: WorkerID(rawValue: 5))
        #expect((welcome.protocolVersion, welcome.operations) == (ProtocolVersion.newest, nil))
        let keys = try KeyDirectory(home: harness.directory.path).open(at: 0).operationKeys
        let claim = OperationClaim(incarnation: 1, recordToken: 1, job: 1, operation: 0, attempt: 1, worker: 5)
        let client = try Peer(harness.server.endpoint)
        guard case .welcome? = try client.greet(with: keys.issuer(for: 5).token(for: claim).proof) else {
            throw Unexpected(answer: "no welcome")
        }
        try harness.stop()
    }

    @Test("Neither the record nor a document has anything of a token")
    func record() throws {
        let coordinator = try KeyedCoordinator()
        let (worker, assignment) = try start(coordinator)
        let token = worker.token(of: assignment)
        let peer = try coordinator.connect(token)
        _ = try peer.ask(.submit(.inQueue("q", count: 1)))
        guard case .document(let json) = try peer.ask(.document(.operation(.operation(assignment.operation)))) else {
            throw Unexpected(answer: "no document")
        }
        try coordinator.stop()
        let files = try FileManager.default.contentsOfDirectory(
            at: coordinator.directory,
            includingPropertiesForKeys: [.isRegularFileKey]
        )
        .filter { try $0.resourceValues(forKeys: [.isRegularFileKey]).isRegularFile == true }
        #expect(files.contains { $0.lastPathComponent == "baton.db" })
        let code = Data(token.proof.bytes.suffix(32))
        for data in try files.map({ try Data(contentsOf: $0) }) + [Data(json)] {
            #expect(data.range(of: code) == nil)
            #expect(data.range(of: Data(token.text.utf8)) == nil)
            #expect(data.range(of: Data(worker.issuer.bytes.suffix(32))) == nil)
        }
    }
}
