@_spi(Baton) import BatonCoordinator
@_spi(Baton) import BatonDocuments
@_spi(Baton) import BatonKeys
@_spi(Baton) import BatonOperations
import BatonTestServers
import Testing
@_spi(Baton) import BatonWire

@_spi(Baton) @testable import BatonStore

@Suite(
    "A coordinator that stands by",
    .enabled(if: PostgreSQLServer.isThere),
    .serialized,
    .timeLimit(.minutes(60))
)
struct StandbyServerTests {
    private func submit(_ server: CoordinatorServer) throws -> JobNumber {
        let reply = try Peer(server.endpoint).ask(.submit(.noOperations([[], [0]])))
        guard case .job(let job, _, true) = reply else { throw Unexpected(answer: "\(reply)") }
        return job
    }

    private func isKnown(_ job: JobNumber, at server: CoordinatorServer) throws -> Bool {
        let reply = try Peer(server.endpoint).ask(.wait([.job(job)], queue: nil, atMost: .zero, waiter: nil))
        if case .progress = reply { return true }
        return false
    }

    @Test(
        "It takes over when an administrator ends the leader's session, and the former leader stands by in its process"
    )
    func takesOver() throws {
        let scene = try StandbyScene()
        let first = try scene.start("first")
        let second = try scene.start("second")
        #expect(try scene.leader() == first.endpoint)
        let job = try submit(first)
        let status = try Peer(first.endpoint).document(StatusDocument.self, .status)
        #expect(status.role == "leader")
        #expect(status.standbys?.map(\.address) == [second.endpoint])
        #expect(status.standbys?.allSatisfy { $0.sharesKeys == nil } == true)

        let rank = try #require(try Peer(first.endpoint).leadershipAsClient().rank)
        let client = try Peer(second.endpoint)
        let worker = try Peer(second.endpoint)
        #expect(try client.leadershipAsClient() == Leadership(isLeading: false, leader: first.endpoint))
        #expect(try worker.leadershipAsWorker() == Leadership(isLeading: false, leader: first.endpoint))

        try scene.depose(first)
        #expect(try scene.leader() == second.endpoint)
        // Whoever has asked is told, without a further question.
        let told = try client.nextLeadershipAsClient()
        #expect(told.isLeading)
        #expect(told.leader == second.endpoint)
        let newRank = try #require(told.rank)
        #expect(newRank.outranks(rank))
        #expect(try worker.nextLeadershipAsWorker() == told)
        #expect(try client.leadershipAsClient() == Leadership(isLeading: true, rank: newRank))
        #expect(try isKnown(job, at: second))
        #expect(try submit(second).rawValue > job.rawValue)

        // At the address that it had.
        let former = try Peer(first.endpoint)
        #expect(try former.waitForStandby().leader == second.endpoint)
        let later = try Peer(second.endpoint).document(StatusDocument.self, .status)
        #expect(later.standbys?.map(\.address) == [first.endpoint])

        // And back, when the leader ends in order.
        try second.end()
        var back = try former.nextLeadershipAsWorker()
        while !back.isLeading { back = try former.nextLeadershipAsWorker() }
        #expect(back.rank?.outranks(newRank) == true)
        #expect(try scene.leader() == first.endpoint)
        #expect(try isKnown(job, at: first))
        try first.end()
    }

    @Test("A part of its process is told that it stands by, and asks the same connection again once it leads")
    func inProcess() async throws {
        let scene = try StandbyScene()
        let first = try scene.start("first")
        let second = try scene.start("second")
        let connection = second.connect(by: nil)
        guard case .refused(let refusal)? = await connection.ask(.document(.status)) else {
            throw Unexpected(answer: "no refusal")
        }
        #expect(refusal.code == .storage)
        #expect(refusal.message.hasPrefix("This coordinator stands by; the leader is at \(first.endpoint) (epoch "))
        let worker = try Peer(second.endpoint)
        #expect(try !worker.leadershipAsWorker().isLeading)
        try first.end()
        #expect(try worker.nextLeadershipAsWorker().isLeading)
        guard case .document? = await connection.ask(.document(.status)) else {
            throw Unexpected(answer: "no document")
        }
        try second.end()
        #expect(await connection.ask(.document(.status)) == nil)
    }

    @Test("It ends while it stands by, and is not told of any more; alone, it leads at once")
    func ends() throws {
        let scene = try StandbyScene()
        let first = try scene.start("first")
        #expect(try Peer(first.endpoint).leadershipAsClient().isLeading)
        for name in ["second", "third"] {
            let standby = try scene.start(name)
            #expect(try !Peer(standby.endpoint).leadershipAsClient().isLeading)
            #expect(try scene.administrator.number("SELECT count(*) FROM standbys") == 1)
            try standby.end()
            #expect(try scene.administrator.number("SELECT count(*) FROM standbys") == 0)
        }
        try first.end()
    }

    @Test("Without the option, a coordinator that is deposed ends with a sentence, and a start on a led record fails")
    func withoutOption() throws {
        let scene = try StandbyScene()
        let first = try scene.start("first", standsBy: false)
        let second = try scene.start("second")
        try scene.depose(first)
        let error = #expect(throws: CoordinatorError.self) { try first.run() }
        #expect(error?.code == .deposed)
        let start = #expect(throws: CoordinatorError.self) {
            _ = try scene.start("third", lease: .seconds(1), standsBy: false)
        }
        #expect(start?.code == .storeInUse)
        try second.end()
    }

    @Test(
        "It does not start beside a leader with another key, or without keys",
        arguments: [(true, true), (true, false), (false, true)]
    )
    func keys(ofLeader: Bool, ofStandby: Bool) throws {
        let scene = try StandbyScene()
        let first = try scene.start("first", hasKeys: ofLeader)
        let error = #expect(throws: CoordinatorError.self) { _ = try scene.start("second", hasKeys: ofStandby) }
        #expect(error?.code == .keys)
        #expect(error?.message.hasPrefix("The coordinator at \(first.endpoint) has another key than this one") == true)
        try scene.copyKeys(of: "first", to: "same")
        let same = try scene.start("same", hasKeys: ofLeader)
        try same.end()
        try first.end()
        // Nor does it lead once nobody does.
        try scene.awaitFreeLock()
        let later = #expect(throws: CoordinatorError.self) { _ = try scene.start("second", hasKeys: ofStandby) }
        #expect(later?.code == .keys)
        #expect(later?.message.hasPrefix("The coordinator that led last, at \(first.endpoint), had ") == true)
        let again = try scene.start("first", hasKeys: ofLeader)
        #expect(try scene.leader() == again.endpoint)
        try again.end()
        // Without the option, the keys of the start count from then on.
        let other = try scene.start("second", standsBy: false, hasKeys: ofStandby)
        #expect(try scene.leader() == other.endpoint)
        try other.end()
        try scene.start("second", hasKeys: ofStandby).end()
    }

    @Test(
        "A second coordinator in its state directory is refused, stands by or not, and changes nothing there",
        arguments: [true, false],
        [true, false]
    )
    func sameHome(firstStandsBy: Bool, secondStandsBy: Bool) throws {
        let scene = try StandbyScene()
        let first = try scene.start("first", standsBy: firstStandsBy, hasKeys: true)
        let address = try KeyDirectory(home: scene.home("first")).address()
        #expect(address?.text == first.endpoint)
        let error = #expect(throws: CoordinatorError.self) {
            _ = try scene.start("first", standsBy: secondStandsBy, hasKeys: true)
        }
        #expect(error?.code == .stateInUse)
        #expect(
            error?.message.contains("The state directory \(scene.home("first")) is in use by another coordinator")
                == true
        )
        #expect(try KeyDirectory(home: scene.home("first")).address() == address)
        #expect(try scene.administrator.number("SELECT count(*) FROM standbys") == 0)
        try first.end()
        // A coordinator that has ended keeps nobody out.
        try scene.awaitFreeLock()
        let again = try scene.start("first", standsBy: secondStandsBy, hasKeys: true)
        #expect(try scene.leader() == again.endpoint)
        try again.end()
    }

    @Test("It starts without the server of its record, and says so to whoever asks")
    func unreachable() async throws {
        let scene = try StandbyScene()
        let relay = try CommitRelay(target: try #require(scene.record.ports.first))
        defer { relay.shutDown() }
        relay.isRefusing = true
        let server = try #require(PostgreSQLServer.record(scene.record, throughPort: relay.port))
        let standby = try scene.start("first", on: server)
        let worker = try Peer(standby.endpoint)
        #expect(try worker.leadershipAsWorker() == Leadership(isLeading: false))
        guard case .refused(let refusal)? = await standby.connect(by: nil).ask(.document(.status)) else {
            throw Unexpected(answer: "no refusal")
        }
        #expect(refusal.message == "This coordinator stands by, and does not reach its record at present.")
        relay.isRefusing = false
        #expect(try worker.nextLeadershipAsWorker().isLeading)
        try standby.end()
    }
}
