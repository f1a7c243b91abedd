import Foundation
import Testing
@_spi(Baton) import BatonKeys
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWire
@_spi(Baton) import BatonZeroMQ

@_spi(Baton) @testable import BatonCoordinator

@Suite("The coordinator's gate", .timeLimit(.minutes(60)))
struct GateTests {
    private static let operation = Address.operation(OperationID(job: JobNumber(1), index: 0))

    /// A request of each kind, by what it is for.
    private static let requests: [(purpose: Request.Purpose, request: Request)] = [
        (.overview, .document(.status)),
        (.overview, .wait([operation], queue: nil, atMost: .zero, waiter: nil)),
        (.overview, .watch(since: nil, limit: 1, atMost: .zero)),
        (.content, .log(operation, attempt: nil, .standardOutput, offset: 0, limit: 1)),
        (.content, .outputs(OutputSelection(job: JobNumber(1), operations: [0..<1]))),
        (.overview, .history(HistorySelection(job: JobNumber(1)))),
        (.content, .result(operation)),
        (.change, .submit(.noOperations([[]]))),
        (.change, .cancel([operation], queue: nil)),
        (.change, .hold([operation])),
        (.change, .pause([operation])),
        (.change, .resume([operation])),
        (.change, .signal([operation], .user1)),
        (.change, .release([operation])),
        (.change, .setPriority([operation], .high)),
        (.change, .depend(operation, [])),
        (.change, .undepend(operation, [])),
        (.change, .addCommand(operation, ["true"])),
        (.change, .retry(JobNumber(1), key: "k")),
        (
            .change,
            .reportProgress(OperationID(job: JobNumber(1), index: 0), attempt: 1, OperationProgress(fraction: 0))
        ),
        (.change, .setQueue(QueueChange(name: "q", maxConcurrent: .atMost(1)))),
        (.change, .setLimit(LimitChange("licence", units: 1))),
        (.change, .missingFiles([], bytes: 0)),
        (.overview, .document(.limits)),
    ]

    private func isNotAllowed(_ reply: Reply) -> Bool {
        if case .refused(let refusal) = reply { refusal.code == .notAllowed } else { false }
    }

    private func isRefused(_ reply: ClientReply?) -> Bool {
        if case .refused(let refusal)? = reply { refusal.code == .notAllowed } else { false }
    }

    private func isRefused(_ message: CoordinatorMessage?) -> Bool {
        if case .refused(let refusal)? = message { refusal.code == .notAllowed } else { false }
    }

    @Test("Clients may do everything, viewers see the state, and workers and operations without a token nothing")
    func roles() throws {
        let coordinator = try KeyedCoordinator()
        for role in Role.allCases {
            let peer = try coordinator.connect(as: role)
            for (purpose, request) in Self.requests {
                let isAllowed = role == .client || role == .viewer && purpose == .overview
                #expect(request.purpose == purpose, "\(request)")
                #expect(isNotAllowed(try peer.ask(request)) == !isAllowed, "\(role): \(request)")
            }
        }
        try coordinator.stop()
    }

    @Test("A refused request names the key, the role and the request, and has no effect")
    func sentence() throws {
        let coordinator = try KeyedCoordinator()
        let viewer = try coordinator.connect(coordinator.authorize("wall", .viewer))
        let refusal = Refusal(.notAllowed, "The key wall is a viewer's, and may not submit jobs.")
        #expect(try viewer.ask(.submit(.noOperations([[]]))) == .refused(refusal))
        let client = try coordinator.connect(as: .client)
        #expect(try client.ask(.submit(.noOperations([[]]))) == .job(JobNumber(1), operations: 1, isNew: true))
        try coordinator.stop()
    }

    @Test(
        "Only a worker's key joins as a worker, and only those of clients, viewers and coordinators greet as a client"
    )
    func hellos() throws {
        let coordinator = try KeyedCoordinator()
        for role in Role.allCases {
            let worker = try coordinator.connect(as: role)
            if role == .worker {
                _ = try worker.join("w-\(role)", session: 7)
            } else {
                #expect(throws: Unexpected.self) { try worker.join("w-\(role)", session: 8) }
            }
            let client = try coordinator.connect(as: role)
            try client.send(ClientMessage.hello(.own, version: "test").encoded())
            #expect(isRefused(try client.receiveAsClient()) == (role == .worker || role == .operation), "\(role)")
        }
        try coordinator.stop()
    }

    @Test("A peer without a key, with an unknown key or with another server's key gets no byte and has no effect")
    func strangers() throws {
        let coordinator = try KeyedCoordinator()
        let known = try coordinator.authorize("laptop", .client)
        let stranger = try CurveKeyPair.generate()
        let wrongServer = try CurveKeyPair.generate().publicKey
        let peers = [
            try Peer(coordinator.endpoint),
            try Peer(coordinator.endpoint, security: .curveClient(server: known.server, key: stranger)),
            try Peer(coordinator.endpoint, security: .curveClient(server: wrongServer, key: try known.keyPair())),
        ]
        for peer in peers { _ = try peer.begin(.submit(.noOperations([[]]))) }
        let client = try coordinator.connect(known)
        // Strangers have had their chance when later connections have had theirs.
        for _ in 0..<20 { _ = try coordinator.connect(known).ask(.document(.status)) }
        #expect(try client.ask(.submit(.noOperations([[]]))) == .job(JobNumber(1), operations: 1, isNew: true))
        for peer in peers { #expect(try peer.receive(within: .milliseconds(200)) == nil) }
        try coordinator.stop()
    }

    @Test("A key that is authorized while the coordinator runs is admitted")
    func lateKey() throws {
        let coordinator = try KeyedCoordinator()
        let client = try coordinator.connect(as: .client)
        #expect(try client.ask(.submit(.noOperations([[]]))) == .job(JobNumber(1), operations: 1, isNew: true))
        let later = try coordinator.connect(as: .client)
        #expect(try later.ask(.submit(.noOperations([[]]))) == .job(JobNumber(2), operations: 1, isNew: true))
        try coordinator.stop()
    }

    @Test("A revoked client is told, and nothing of its key is read or answered any more, on any connection")
    func revokedClient() throws {
        let coordinator = try KeyedCoordinator()
        let token = try coordinator.authorize("laptop", .client)
        let other = try coordinator.connect(as: .client)
        _ = try other.ask(.submit(.noOperations([[]])))
        let clients = try (0..<3).map { _ in try coordinator.connect(token) }
        for client in clients {
            _ = try client.ask(.document(.status))
            // The wait stays open, since there is no worker.
            _ = try client.begin(.wait([.job(JobNumber(1))], queue: nil, atMost: .seconds(600), waiter: nil))
        }
        try coordinator.revoke(token)
        for client in clients {
            guard case .refused(let refusal)? = try client.receiveAsClient() else {
                Issue.record("the client is not told")
                continue
            }
            #expect(refusal == Refusal(.notAllowed, "The key laptop was revoked."))
            _ = try client.begin(.submit(.noOperations([[]])))
        }
        let late = try coordinator.connect(token)
        _ = try late.begin(.submit(.noOperations([[]])))
        for client in clients + [late] { #expect(try client.receive(within: .milliseconds(300)) == nil) }
        #expect(try other.ask(.submit(.noOperations([[]]))) == .job(JobNumber(2), operations: 1, isNew: true))
        try coordinator.stop()
    }

    @Test("A revoked worker is lost at once, and its operation runs again elsewhere without a counted loss")
    func revokedWorker() throws {
        let coordinator = try KeyedCoordinator()
        let token = try coordinator.authorize("host", .worker)
        let client = try coordinator.connect(as: .client)
        let worker = try coordinator.connect(token)
        let session = try worker.join("w1", session: 7).session
        _ = try client.ask(.submit(.noOperations([[]])))
        guard case .dispatch(let batch)? = try worker.receiveAsWorker(), let first = batch.items.first?.assignment
        else {
            Issue.record("the worker gets nothing")
            return
        }
        try worker.send(WorkerMessage.report(session, AttemptReport(started: [AttemptStart(first.token)])).encoded())
        let other = try coordinator.connect(as: .worker)
        _ = try other.join("w2", session: 8)
        try coordinator.revoke(token)
        #expect(isRefused(try worker.receiveAsWorker()))
        // The revoked worker's word does not count any more.
        let end = Completion.success(first.token, first.operation)
        try worker.send(WorkerMessage.report(session, AttemptReport(completions: [end])).encoded())
        guard case .dispatch(let next)? = try other.receiveAsWorker(), let second = next.items.first?.assignment else {
            Issue.record("the other worker gets nothing")
            return
        }
        #expect(second.operation == first.operation)
        #expect(second.attempt == first.attempt + 1)
        guard case .document(let json) = try client.ask(.document(.operation(Self.operation))) else {
            Issue.record("no document")
            return
        }
        let text = String(decoding: json, as: UTF8.self)
        #expect(text.contains("\"losses\":0"), "\(text)")
        #expect(text.contains("The key host of its worker was revoked."), "\(text)")
        try coordinator.stop()
    }

    /// A coordinator with an operation that a worker with a key of its own executes.
    private func coordinatorWithWorker() throws -> (KeyedCoordinator, JoinToken, Peer, Assignment) {
        let coordinator = try KeyedCoordinator()
        let token = try coordinator.authorize("host", .worker)
        _ = try coordinator.connect(as: .client).ask(.submit(.noOperations([[]])))
        let worker = try coordinator.connect(token)
        let session = try worker.join("w1", session: 7, id: WorkerID(rawValue: 5)).session
        let first = try worker.receiveAttempt()
        try worker.send(WorkerMessage.report(session, AttemptReport(started: [AttemptStart(first.token)])).encoded())
        // The answer comes after the report.
        try worker.send(WorkerMessage.heartbeat(session, number: 1).encoded())
        while true {
            let bytes = try #require(try worker.receive(), "no heartbeat")
            if case .heartbeat = try bytes.withUnsafeBytes({ try CoordinatorMessage(decoding: $0) }) { break }
        }
        return (coordinator, token, worker, first)
    }

    /// A coordinator whose worker has lost its connection.
    private func coordinatorAfterCut() throws -> (KeyedCoordinator, JoinToken, Assignment) {
        let (coordinator, token, _, first) = try coordinatorWithWorker()
        return (coordinator, token, first)
    }

    /// Demands that another worker executes the operation of a revoked worker's attempt, and that no loss counts.
    private func expectSecond(_ first: Assignment, at coordinator: KeyedCoordinator, named name: String) throws {
        let other = try coordinator.connect(as: .worker)
        _ = try other.join(name, session: 8, id: WorkerID(rawValue: 6))
        guard case .dispatch(let next)? = try other.receiveAsWorker(), let second = next.items.first?.assignment else {
            Issue.record("the other worker gets nothing")
            return
        }
        #expect(second.operation == first.operation)
        #expect(second.attempt == first.attempt + 1)
        let client = try coordinator.connect(as: .client)
        guard case .document(let json) = try client.ask(.document(.operation(Self.operation))) else {
            Issue.record("no document")
            return
        }
        let text = String(decoding: json, as: UTF8.self)
        #expect(text.contains("\"losses\":0"), "\(text)")
        #expect(text.contains("The key host of its worker was revoked."), "\(text)")
    }

    @Test("A worker whose key is revoked while its connection is cut is lost at once, without a counted loss")
    func revokedWithoutConnection() throws {
        let (coordinator, token, first) = try coordinatorAfterCut()
        // The next connections take the place of the cut one.
        for _ in 0..<3 { _ = try coordinator.connect(as: .client).ask(.document(.status)) }
        try coordinator.revoke(token)
        try expectSecond(first, at: coordinator, named: "w1")
        try coordinator.stop()
    }

    @Test("A worker whose key is revoked while the coordinator is away is lost at its start, without a counted loss")
    func revokedDuringAbsence() throws {
        let (coordinator, token, first) = try coordinatorAfterCut()
        try coordinator.restart { try coordinator.revoke(token) }
        try expectSecond(first, at: coordinator, named: "w1")
        try coordinator.stop()
    }

    @Test("A peer with another key cannot take over the address of a connection")
    func takeover() throws {
        let coordinator = try KeyedCoordinator()
        let address = try #require(RoutingID(Array("client".utf8)))
        let first = try coordinator.connect(coordinator.authorize("first", .client), routingID: address)
        _ = try first.ask(.document(.status))
        let thief = try coordinator.connect(coordinator.authorize("thief", .viewer), routingID: address)
        _ = try thief.begin(.document(.status))
        #expect(try first.ask(.submit(.noOperations([[]]))) == .job(JobNumber(1), operations: 1, isNew: true))
        #expect(try thief.receive(within: .milliseconds(200)) == nil)
        try coordinator.stop()
    }

    @Test("Keys stay as they were when their table is removed, damaged, exposed or replaced by another table")
    func tableChanges() throws {
        let coordinator = try KeyedCoordinator()
        let client = try coordinator.connect(as: .client)
        _ = try client.ask(.document(.status))
        let table = coordinator.keys.path + "/authorized"
        let content = try #require(FileManager.default.contents(atPath: table))
        func replace(_ bytes: Data?, mode: Int = 0o600) throws {
            try FileManager.default.removeItem(atPath: table)
            guard let bytes else { return }
            let attributes: [FileAttributeKey: Any] = [.posixPermissions: mode]
            #expect(FileManager.default.createFile(atPath: table, contents: bytes, attributes: attributes))
        }
        for (bytes, mode) in [
            (nil, 0), (Data("nonsense\n".utf8), 0o600), (content, 0o644), (content.prefix(40), 0o600),
        ] {
            if !FileManager.default.fileExists(atPath: table) {
                _ = FileManager.default.createFile(atPath: table, contents: content)
            }
            try replace(bytes, mode: mode)
            #expect(!isNotAllowed(try client.ask(.document(.status))))
            #expect(!isNotAllowed(try client.ask(.hold([Self.operation]))))
        }
        try coordinator.stop()
    }

    /// Sends requests until the coordinator refuses the key, which must come within the time limit of the suite.
    private func awaitRefusal(_ peer: Peer) throws {
        while true {
            let number = try peer.begin(.document(.status))
            guard let reply = try peer.receiveAsClient() else { continue }
            if case .refused(let refusal) = reply, refusal.code == .notAllowed { return }
            if case .reply(number, _) = reply { continue }
        }
    }

    @Test("A key is revoked in a directory that has replaced the key directory of a running coordinator")
    func replacedDirectory() throws {
        let coordinator = try KeyedCoordinator()
        let token = try coordinator.authorize("laptop", .client)
        let client = try coordinator.connect(token)
        _ = try client.ask(.document(.status))
        let path = coordinator.keys.path
        try FileManager.default.moveItem(atPath: path, toPath: path + ".old")
        _ = try client.ask(.document(.status))
        try FileManager.default.copyItem(atPath: path + ".old", toPath: path)
        try coordinator.revoke(token)
        try awaitRefusal(client)
        try coordinator.stop()
    }

    @Test("A revocation counts also in an older table that was restored, whose other contents do not")
    func restoredTable() throws {
        let coordinator = try KeyedCoordinator()
        let early = try coordinator.authorize("early", .client)
        let table = coordinator.keys.path + "/authorized"
        let backup = try #require(FileManager.default.contents(atPath: table))
        let late = try coordinator.authorize("late", .client)
        let (first, second) = (try coordinator.connect(early), try coordinator.connect(late))
        for peer in [first, second] { _ = try peer.ask(.document(.status)) }
        try backup.write(to: URL(filePath: table), options: .atomic)
        chmod(table, 0o600)
        try coordinator.revoke(early)
        try awaitRefusal(first)
        #expect(!isNotAllowed(try second.ask(.document(.status))))
        try coordinator.stop()
    }
}
