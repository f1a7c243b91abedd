@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWire
@_spi(Baton) import BatonZeroMQ
import Testing

@_spi(Baton) @testable import BatonCoordinator

@Suite("The requests for pieces of files")
struct PieceRequestsTests {
    private let now = Timestamp(rawValue: 1_700_000_000_000_000)
    private let most = UInt32(FilePiece.maximumLength)

    private func peer(_ number: UInt64) -> RoutingID { RoutingID(inProcess: number) }
    private func session(_ number: UInt64) -> SessionID { SessionID(rawValue: number) }

    private func digest(_ number: UInt8 = 1) -> ContentDigest {
        guard let digest = ContentDigest(bytes: [UInt8](repeating: number, count: ContentDigest.length)) else {
            preconditionFailure("A digest has 32 bytes.")
        }
        return digest
    }

    private func request(
        _ worker: UInt64,
        _ echo: UInt64,
        of number: UInt8 = 1,
        offset: UInt64 = 0,
        limit: UInt32 = 1000
    ) -> PieceRequest {
        PieceRequest(
            asker: .worker(peer(worker), session(worker), echo: echo),
            digest: digest(number),
            offset: offset,
            limit: limit
        )
    }

    private func clientRequest(_ number: UInt64) -> PieceRequest {
        let file = KeptFile(path: "a", size: 1 << 30, mode: 0o644, digest: digest())
        let wanted = PieceRequest.WantedFile(operation: OperationID(job: JobNumber(1), index: 0), file: file)
        return PieceRequest(
            asker: .client(ReplyAddress(peer: peer(number), number: number), wanted),
            digest: file.digest,
            offset: 0,
            limit: most
        )
    }

    /// Passes all requests on that there is room for, and returns the numbers of those who asked.
    private func openAll(_ pieces: inout PieceRequests, of holder: UInt64 = 90) -> [UInt64] {
        var echoes: [UInt64] = []
        while let next = pieces.takeNext() {
            _ = pieces.open(next, of: session(holder), at: now)
            echoes.append(next.echo)
        }
        return echoes
    }

    @Test("FI12 Workers take turns, and the requests of each are passed on in their order")
    func turns() {
        var pieces = PieceRequests()
        for echo in 1...4 as ClosedRange<UInt64> { pieces.append(request(1, echo)) }
        for echo in 11...12 as ClosedRange<UInt64> { pieces.append(request(2, echo)) }
        pieces.append(request(3, 21))
        #expect(openAll(&pieces) == [1, 11, 21, 2, 12, 3, 4])
        #expect(!pieces.isAnyWaiting && !pieces.canServe)
    }

    @Test("FI12 A worker has a limited number of requests, which an answer of any kind makes room in")
    func number() throws {
        var pieces = PieceRequests()
        for echo in 0..<UInt64(PieceRequests.mostOfWorker) {
            #expect(pieces.hasRoom(for: peer(1)))
            pieces.append(request(1, echo))
        }
        #expect(!pieces.hasRoom(for: peer(1)) && pieces.hasRoom(for: peer(2)))
        let takenFirst = pieces.takeNext()
        let first = try #require(takenFirst)
        #expect(!pieces.hasRoom(for: peer(1)))
        pieces.drop(first)
        #expect(pieces.hasRoom(for: peer(1)))
        pieces.append(request(1, 100))
        let takenSecond = pieces.takeNext()
        let second = try #require(takenSecond)
        let number = pieces.open(second, of: session(90), at: now)
        #expect(pieces.take(number, of: session(91)) == nil)
        #expect(pieces.take(number, of: session(90)) == second)
        #expect(pieces.take(number, of: session(90)) == nil)
        #expect(!pieces.hasRoom(for: peer(1)))
        pieces.pass(1000, of: second)
        #expect(pieces.hasRoom(for: peer(1)) && pieces.passedBytes == 1000)
    }

    @Test("FI12 Bytes for a worker that does not read are asked for up to a limit, and others are served")
    func bytes() throws {
        var pieces = PieceRequests()
        for echo in 0..<40 as Range<UInt64> { pieces.append(request(1, echo, limit: most)) }
        var numbers: [UInt64] = []
        while let next = pieces.takeNext() { numbers.append(pieces.open(next, of: session(90), at: now)) }
        #expect(numbers.count == (8 << 20) / FilePiece.maximumLength)
        // What has come, and is not delivered, counts as what was asked for.
        for number in numbers {
            let taken = pieces.take(number, of: session(90))
            let request = try #require(taken)
            pieces.pass(Int(most), of: request)
            pieces.noteMessage(Int(most), to: peer(1))
        }
        #expect(!pieces.canServe && pieces.isAnyWaiting && pieces.openCount == 0)
        pieces.append(request(2, 1, limit: most))
        #expect(openAll(&pieces) == [1])
        pieces.noteDelivery(Int(most), to: peer(1))
        #expect(openAll(&pieces) == [UInt64(numbers.count)])
        // The connection ends: nothing is left of it.
        pieces.forgetAsker(peer(1))
        #expect(!pieces.isAnyWaiting && pieces.hasRoom(for: peer(1)) && pieces.openCount == 1)
        pieces.forgetAsker(peer(2))
        #expect(!pieces.hasBytes && pieces.openCount == 0)
    }

    @Test("FI12 Clients together have a limit of bytes that are asked for")
    func clients() throws {
        var pieces = PieceRequests()
        for number in 0..<100 as Range<UInt64> { pieces.append(clientRequest(number)) }
        var open: [UInt64] = []
        while let next = pieces.takeNext() { open.append(pieces.open(next, of: session(90), at: now)) }
        #expect(open.count == PieceRequests.mostForClients / FilePiece.maximumLength)
        let takenOpen = pieces.take(open[0], of: session(90))
        let answered = try #require(takenOpen)
        pieces.pass(10, of: answered)
        #expect(openAll(&pieces).count == 1)
        pieces.append(request(1, 7))
        #expect(openAll(&pieces) == [7])
    }

    @Test("The pieces of a file come from one holder, and a file that begins once more comes from another one")
    func holders() {
        var pieces = PieceRequests()
        let all = [session(90), session(91), session(92)]
        #expect(pieces.holder(for: request(1, 1), among: []) == nil)
        #expect(pieces.holder(for: request(1, 1), among: all) == session(90))
        _ = pieces.open(request(1, 1), of: session(90), at: now)
        #expect(pieces.holder(for: request(1, 2, offset: 1000), among: all) == session(90))
        #expect(pieces.holder(for: request(1, 2, offset: 1000), among: [session(92)]) == session(92))
        #expect(pieces.holder(for: request(1, 3), among: all) == session(91))
        // Another file, and another receiver, get the holder with the fewest requests.
        #expect(pieces.holder(for: request(1, 4, of: 2), among: all) == session(91))
        _ = pieces.open(request(1, 4, of: 2), of: session(91), at: now)
        #expect(pieces.holder(for: request(2, 5, offset: 1000), among: all) == session(92))
        #expect(pieces.holder(for: request(1, 6, of: 2, offset: 1000), among: all) == session(91))
        #expect(pieces.holder(for: clientRequest(5), among: all) == session(92))
    }

    @Test(
        "FI8 Of a file that comes damaged twice, those holders are told that have given it, for each attempt that waits"
    )
    func givers() throws {
        var pieces = PieceRequests()
        func give(_ offset: UInt64, by holder: UInt64, _ pieces: inout PieceRequests) throws {
            let number = pieces.open(request(1, offset, offset: offset), of: session(holder), at: now)
            let given = pieces.take(number, of: session(holder))
            pieces.noteGiver(session(holder), of: try #require(given))
        }
        #expect(pieces.giveUp(digest(), for: peer(1)) == nil)
        // A copy that was right, long ago.
        for offset in [UInt64(0), 1000] { try give(offset, by: 89, &pieces) }
        for offset in [UInt64(0), 1000, 2000] { try give(offset, by: 90, &pieces) }
        // One that was asked and gave nothing is none.
        _ = pieces.open(request(1, 7), of: session(93), at: now)
        for (offset, holder) in [(UInt64(0), UInt64(91)), (1000, 91), (2000, 92), (3000, 91)] {
            try give(offset, by: holder, &pieces)
        }
        #expect(pieces.giveUp(digest(2), for: peer(1)) == nil)
        #expect(pieces.giveUp(digest(), for: peer(2)) == nil)
        for _ in 0..<3 {
            #expect(pieces.giveUp(digest(), for: peer(1)) == [session(90), session(91), session(92)])
        }
        try give(0, by: 94, &pieces)
        #expect(pieces.giveUp(digest(), for: peer(1)) == [session(94)])
        // A copy whose pieces end before its last one is not compared with the digest; one that came whole before still counts.
        for holder: UInt64 in [95, 96] { try give(0, by: holder, &pieces) }
        pieces.noteIncomplete(digest(2), for: peer(1))
        pieces.noteIncomplete(digest(), for: peer(2))
        pieces.noteIncomplete(digest(), for: peer(1))
        #expect(pieces.giveUp(digest(), for: peer(1)) == [session(95)])
        pieces.forgetAsker(peer(1))
        #expect(pieces.giveUp(digest(), for: peer(1)) == nil)
    }

    @Test("A client waits for 30 s for a connection, up to 50 s for silent workers, and a worker not at all")
    func waits() {
        /// How long a client's request waits that is looked at each second.
        func wait(silentFor silence: Int64) -> Int64 {
            var pieces = PieceRequests()
            pieces.append(clientRequest(1))
            for second in 0...200 as ClosedRange<Int64> {
                guard let request = pieces.takeNext() else { return -1 }
                let isSilent = second < silence
                guard pieces.postpone(request, at: now + .seconds(second), isSilent: isSilent) else { return second }
                pieces.resumePostponed()
            }
            return -1
        }
        #expect([0, 1, 10, 20, 21, 30, 200].map { wait(silentFor: $0) } == [30, 30, 39, 49, 50, 50, 50])
        var pieces = PieceRequests()
        let isPostponed = pieces.postpone(request(1, 1), at: now, isSilent: true)
        #expect(!isPostponed)
    }

    @Test("A holder whose worker is silent altogether is found out later, and at once after 50 s")
    func excused() {
        var pieces = PieceRequests()
        let silent = session(90)
        let number = pieces.open(clientRequest(1), of: silent, at: now)
        #expect(pieces.takeSilentHolders(at: now + .seconds(30)) == [silent])
        pieces.excuse(silent, at: now + .seconds(30))
        #expect(pieces.takeSilentHolders(at: now + .seconds(49)).isEmpty)
        #expect(pieces.takeSilentHolders(at: now + .seconds(50)) == [silent])
        // With a piece, its time begins anew.
        _ = pieces.open(clientRequest(2), of: silent, at: now + .seconds(50))
        pieces.heard(silent, at: now + .seconds(51))
        _ = pieces.take(number, of: silent)
        #expect(pieces.takeSilentHolders(at: now + .seconds(80)).isEmpty)
        #expect(pieces.takeSilentHolders(at: now + .seconds(81)) == [silent])
    }

    @Test("Of the requests that a holder has, those are taken that are wanted, and it comes last from then on")
    func takenInPart() {
        var pieces = PieceRequests()
        let (silent, other) = (session(90), session(91))
        for echo in 1...6 as ClosedRange<UInt64> { _ = pieces.open(request(1, echo), of: silent, at: now) }
        _ = pieces.open(clientRequest(7), of: silent, at: now)
        #expect(pieces.askedHolders == [silent])
        #expect(pieces.takeAll(of: silent) { !$0.isOfClient && $0.echo % 2 == 0 }.map(\.echo) == [2, 4, 6])
        pieces.noteSilence(of: silent, at: now)
        #expect(pieces.holder(for: request(2, 8, of: 2), among: [silent, other]) == other)
        #expect(!pieces.isSilentForLong(silent, at: now + .seconds(49)))
        #expect(pieces.isSilentForLong(silent, at: now + .seconds(50)))
        #expect(pieces.takeAll(of: silent) { $0.isOfClient }.count == 1 && pieces.openCount == 3)
        #expect(pieces.takeAll(of: silent).count == 3 && pieces.askedHolders.isEmpty)
    }

    @Test("A holder that is silent with open requests is found out once, and comes last until it gives a piece")
    func silence() {
        var pieces = PieceRequests()
        let (silent, other) = (session(90), session(91))
        let first = pieces.open(request(1, 1), of: silent, at: now)
        _ = pieces.open(request(1, 2), of: silent, at: now + .seconds(20))
        #expect(pieces.takeSilentHolders(at: now + .seconds(29)).isEmpty)
        // Any piece ends the silence.
        pieces.heard(silent, at: now + .seconds(29))
        _ = pieces.take(first, of: silent)
        #expect(pieces.takeSilentHolders(at: now + .seconds(58)).isEmpty)
        #expect(pieces.takeSilentHolders(at: now + .seconds(59)) == [silent])
        #expect(pieces.takeAll(of: silent).map(\.echo) == [2])
        #expect(pieces.takeSilentHolders(at: now + .seconds(90)).isEmpty)
        #expect(pieces.holder(for: request(2, 3), among: [silent, other]) == other)
        #expect(pieces.holder(for: request(2, 3), among: [silent]) == silent)
        pieces.heard(silent, at: now + .seconds(91))
        #expect(pieces.holder(for: request(2, 3), among: [silent, other]) == silent)
    }
}
