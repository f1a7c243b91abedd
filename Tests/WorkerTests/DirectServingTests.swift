@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWire
@_spi(Baton) import BatonZeroMQ
import Testing

@_spi(Baton) @testable import BatonWorker

@Suite("The giving of files to other workers directly")
struct DirectServingTests {
    private func peer(_ number: UInt64) -> RoutingID { RoutingID(inProcess: number) }

    private func request(_ number: UInt64) -> DirectRequest {
        DirectRequest(number: number, ticket: .random(), digest: FetchScene.digest(1), offset: 0, limit: 100)
    }

    /// Adds a request, and returns whether it was taken.
    private func add(_ request: DirectRequest, from peer: RoutingID, to serving: inout DirectServing) -> Bool {
        serving.add(request, from: peer)
    }

    /// Whether a ticket is good for a content.
    private func use(
        _ ticket: ReaderTicket,
        for digest: ContentDigest,
        at now: Duration,
        of tickets: inout ReaderTickets
    ) -> Bool {
        tickets.use(ticket, for: digest, at: now)
    }

    @Test("Readers take turns, and the requests of each are answered in their order")
    func turns() {
        var serving = DirectServing()
        for number in 1...3 as ClosedRange<UInt64> {
            #expect(add(request(number), from: peer(1), to: &serving))
            #expect(add(request(10 + number), from: peer(2), to: &serving))
        }
        #expect(add(request(20), from: peer(3), to: &serving))
        var seen: [UInt64] = []
        while let next = serving.takeNext() { seen.append(next.request.number) }
        #expect(seen == [1, 11, 20, 2, 12, 3, 13])
        #expect(serving.readerCount == 0 && !serving.canServe)
    }

    @Test("FI12 A reader that does not read has bounded bytes on their way, and keeps no other waiting")
    func slowReader() {
        var serving = DirectServing()
        for number in 1...3 as ClosedRange<UInt64> {
            #expect(add(request(number), from: peer(1), to: &serving))
            #expect(add(request(10 + number), from: peer(2), to: &serving))
        }
        #expect(serving.takeNext()?.reader == peer(1))
        serving.handed(DirectServing.mostHanded, to: peer(1))
        #expect(serving.takeNext()?.request.number == 11)
        #expect(serving.takeNext()?.request.number == 12)
        #expect(serving.takeNext()?.request.number == 13)
        #expect(serving.takeNext() == nil && !serving.canServe)
        serving.freed(1, of: peer(1))
        #expect(serving.canServe && serving.takeNext()?.request.number == 2)
        serving.handed(1, to: peer(1))
        // The connection ends: what was on its way is freed, and nobody waits.
        serving.forget(peer(1))
        serving.freed(DirectServing.mostHanded, of: peer(1))
        #expect(serving.readerCount == 0 && serving.takeNext() == nil)
    }

    @Test("FI12 All readers together have bounded bytes on their way")
    func allReaders() {
        var serving = DirectServing()
        let readers = DirectServing.mostHandedToAll / DirectServing.mostHanded
        for reader in 0...UInt64(readers) { #expect(add(request(reader), from: peer(reader), to: &serving)) }
        for reader in 0..<UInt64(readers) {
            #expect(serving.takeNext()?.reader == peer(reader))
            serving.handed(DirectServing.mostHanded, to: peer(reader))
        }
        #expect(!serving.canServe && serving.takeNext() == nil)
        serving.freed(1, of: peer(0))
        #expect(serving.canServe && serving.takeNext()?.reader == peer(UInt64(readers)))
    }

    @Test("Requests beyond those that a reader may have are dropped, and all of them at the end of the session")
    func excess() {
        var serving = DirectServing()
        for number in 0..<UInt64(DirectServing.mostRequests) {
            #expect(add(request(number), from: peer(1), to: &serving))
        }
        #expect(!add(request(99), from: peer(1), to: &serving))
        #expect(add(request(99), from: peer(2), to: &serving))
        #expect(serving.takeNext()?.request.number == 0)
        serving.handed(10, to: peer(1))
        serving.forgetAll()
        #expect(serving.takeNext() == nil && serving.readerCount == 1)
        serving.freed(10, of: peer(1))
        #expect(serving.readerCount == 0)
    }

    @Test("FI11 A ticket is good for one content, until some time after its last use, and within a session")
    func tickets() {
        var tickets = ReaderTickets()
        let (first, second) = (ReaderTicket.random(), ReaderTicket.random())
        let (one, other) = (FetchScene.digest(1), FetchScene.digest(2))
        #expect(!use(first, for: one, at: .zero, of: &tickets))
        tickets.admit(first, to: one, for: .seconds(600), at: .zero)
        tickets.admit(second, to: other, for: .seconds(600), at: .zero)
        #expect(!use(first, for: other, at: .zero, of: &tickets))
        #expect(!use(.random(), for: one, at: .zero, of: &tickets))
        #expect(use(first, for: one, at: .seconds(599), of: &tickets))
        #expect(use(first, for: one, at: .seconds(1_198), of: &tickets))
        #expect(!use(second, for: other, at: .seconds(600), of: &tickets))
        #expect(!use(first, for: one, at: .seconds(1_798), of: &tickets))
        tickets.admit(first, to: one, for: .seconds(600), at: .seconds(2_000))
        tickets.removeAll()
        #expect(!use(first, for: one, at: .seconds(2_001), of: &tickets))
        #expect(tickets.count == 0)
    }

    @Test("The tickets are bounded in number: those go first that have ended, or would end first")
    func manyTickets() {
        var tickets = ReaderTickets()
        let all = (0..<ReaderTickets.mostTickets).map { _ in ReaderTicket.random() }
        let digest = FetchScene.digest(1)
        for (number, ticket) in all.enumerated() {
            tickets.admit(ticket, to: digest, for: .seconds(600), at: .milliseconds(number))
        }
        let last = ReaderTicket.random()
        tickets.admit(last, to: digest, for: .seconds(600), at: .seconds(100))
        #expect(tickets.count == ReaderTickets.mostTickets - ReaderTickets.mostTickets / 8 + 1)
        #expect(!use(all[0], for: digest, at: .seconds(100), of: &tickets))
        #expect(use(all[all.count - 1], for: digest, at: .seconds(100), of: &tickets))
        #expect(use(last, for: digest, at: .seconds(100), of: &tickets))
        while tickets.count < ReaderTickets.mostTickets {
            tickets.admit(.random(), to: digest, for: .seconds(1), at: .seconds(100))
        }
        tickets.admit(.random(), to: digest, for: .seconds(1), at: .seconds(650))
        #expect(use(last, for: digest, at: .seconds(650), of: &tickets))
        #expect(tickets.count < ReaderTickets.mostTickets / 2)
    }

    @Test("The address for others names one of this host, and says where to listen and where to connect")
    func endpoints() throws {
        let samples = [
            ["tcp://10.0.0.2:7463", "tcp://10.0.0.2:7463", "tcp://10.0.0.2:7463", "tcp://10.0.0.2:7463"],
            ["tcp://10.0.0.2:*", "tcp://10.0.0.2:*", "tcp://10.0.0.2:4711", "tcp://10.0.0.2:4711"],
            ["tcp://[::1]:*", "tcp://[::1]:*", "tcp://[::1]:4711", "tcp://[::1]:4711"],
            ["tcp://localhost:*", "tcp://127.0.0.1:*", "tcp://127.0.0.1:4711", "tcp://127.0.0.1:4711"],
            ["tcp://w1.example:7463", "tcp://*:7463", "tcp://0.0.0.0:7463", "tcp://w1.example:7463"],
            ["tcp://w1.example:*", "tcp://*:*", "tcp://[::]:4711", "tcp://w1.example:4711"],
        ]
        for sample in samples {
            #expect(DataEndpoint.objection(to: sample[0]) == nil)
            let endpoint = try #require(DataEndpoint(sample[0]))
            #expect(endpoint.listening == sample[1])
            #expect(endpoint.announced(boundTo: sample[2]) == sample[3])
            #expect(endpoint.announced(boundTo: "") == nil)
        }
    }

    @Test(
        "An address that others cannot connect to is refused with a sentence",
        arguments: [
            ("tcp://*:7463", "stands for all addresses"), ("tcp://*:*", "stands for all addresses"),
            ("tcp://0.0.0.0:7463", "stands for all addresses"), ("tcp://[::]:7463", "stands for all addresses"),
            ("10.0.0.2:7463", "does not begin with tcp://"), ("tcp://10.0.0.2", "the port is missing"), ("", "tcp://"),
            ("tcp://10.0.0.2:99999", "from 1 to 65535"),
        ]
    )
    func objections(text: String, reason: String) {
        let objection = DataEndpoint.objection(to: text)
        #expect(objection?.contains(reason) == true && objection?.hasSuffix(".") == true, "\(objection ?? "")")
        #expect(DataEndpoint(text) == nil)
    }
}
