@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWire
import Testing

@_spi(Baton) @testable import BatonWorker

@Suite("The fetching of files")
struct FileFetchesTests {
    private func token(_ serial: UInt64) -> AttemptToken { AttemptToken(epoch: 1, serial: serial) }

    @Test(
        "FI3 A file of any size is written in order and checked once, whatever the order of its pieces",
        arguments: [0, 1, 9, 10, 11, 100, 1234]
    )
    func orders(size: Int) {
        for seed in 0..<20 as Range<UInt64> {
            var random = SplitMix(seed: seed)
            var scene = FetchScene(limits: .init(bytes: 100, requests: 7, piece: 10))
            let file = scene.makeFile(1, size: size)
            scene.fetch([file], of: token(1))
            while !scene.asked.isEmpty {
                let place = Int(random.next() % UInt64(scene.asked.count))
                scene.answer(place, atMost: random.next() % 3 == 0 ? 1 + Int(random.next() % 10) : nil)
            }
            #expect(scene.outcomes == [.report(token(1))])
            #expect(scene.held == [FetchScene.digest(1)])
            #expect(scene.most.requests <= 7 && scene.most.bytes <= 100)
            #expect(scene.files.isEmpty && scene.fetches.isEmpty)
        }
    }

    @Test("What has come in order of a file is told, and nothing more once the file is whole or begins again")
    func arrived() {
        var scene = FetchScene(limits: .init(bytes: 100, requests: 7, piece: 10))
        let (file, other) = (scene.makeFile(1, size: 25), scene.makeFile(2, size: 10))
        scene.wrong[file.digest] = 1
        scene.fetch([file, other], of: token(1))
        #expect(scene.fetches.arrived.isEmpty && scene.fetches.moves == 0)
        scene.answer(1)
        #expect(scene.fetches.arrived.isEmpty && scene.fetches.moves == 0, "its turn has not come")
        scene.answer()
        #expect(scene.fetches.arrived == [file.digest: 20])
        var moves = scene.fetches.moves
        #expect(moves > 0)
        scene.answer()
        #expect(scene.fetches.arrived.isEmpty && scene.fetches.moves > moves, "it was wrong as a whole")
        moves = scene.fetches.moves
        scene.answer(0, atMost: 4)
        #expect(scene.fetches.moves > moves)
        scene.answerAll()
        #expect(scene.fetches.arrived.isEmpty && scene.outcomes == [.report(token(1))])
    }

    @Test("Several attempts that need one content have it fetched once, and each is reported once")
    func shared() {
        var scene = FetchScene()
        let (first, second) = (scene.makeFile(1, size: 5000), scene.makeFile(2, size: 70))
        scene.fetch([first, second], of: token(1))
        scene.fetch([second], of: token(2))
        var copy = second
        copy.path = "copy"
        scene.fetch([second, copy, first], of: token(3))
        #expect(scene.asked.map(\.digest) == [first.digest, second.digest])
        #expect(scene.asked.allSatisfy { $0.token == token(1) })
        scene.answer(1)
        #expect(scene.outcomes == [.report(token(2))])
        scene.answer()
        #expect(scene.outcomes == [.report(token(2)), .report(token(1)), .report(token(3))])
        #expect(scene.askedCount == 2)
        // FI5: what is here is not fetched.
        scene.fetch([first, second], of: token(4))
        #expect(scene.askedCount == 2 && scene.outcomes.last == .report(token(4)))
    }

    @Test("The files of earlier attempts are asked for first, within the limits of requests and bytes")
    func window() {
        var scene = FetchScene()
        let large = scene.makeFile(1, size: 9 << 20)
        let small = (2...200 as ClosedRange<UInt8>).map { scene.makeFile($0, size: 10) }
        scene.fetch([large], of: token(1))
        scene.fetch(small, of: token(2))
        #expect(scene.asked.map(\.digest) == Array(repeating: large.digest, count: 32))
        #expect(scene.most.bytes == 8 << 20)
        scene.answerAll()
        #expect(scene.most.requests <= 64 && scene.most.bytes <= 8 << 20)
        #expect(scene.outcomes == [.report(token(1)), .report(token(2))])
    }

    @Test("FI7 A content that nobody has is reported at once, for all attempts that wait for it, and others go on")
    func lost() {
        var scene = FetchScene()
        let (gone, there) = (scene.makeFile(1, size: 100), scene.makeFile(2, size: 100))
        scene.fetch([gone, there], of: token(1))
        scene.fetch([there], of: token(2))
        scene.fetch([gone], of: token(3))
        scene.refuse(0, isLost: true)
        #expect(scene.outcomes == [.giveUp(token(1), gone.digest), .giveUp(token(3), gone.digest)])
        scene.answerAll()
        #expect(scene.outcomes.last == .report(token(2)))
        #expect(scene.files.isEmpty && scene.fetches.isEmpty && scene.fetches.openCount == 0)
    }

    @Test(
        "FI8 A content that comes wrong is asked for once more from its beginning, and then counts as lost",
        arguments: [1, 2]
    )
    func wrongCopies(count: Int) {
        var scene = FetchScene(limits: .init(bytes: 1000, requests: 4, piece: 10))
        let file = scene.makeFile(1, size: 35)
        scene.wrong[file.digest] = count
        scene.fetch([file], of: token(1))
        scene.answerAll()
        #expect(scene.outcomes == [count == 1 ? .report(token(1)) : .giveUp(token(1), file.digest)])
        #expect(scene.askedCount == 8)
        #expect(scene.files.isEmpty && scene.fetches.isEmpty)
    }

    @Test("FI8 A piece of another size or place, or without bytes, counts as a wrong copy")
    func wrongPieces() {
        let pieces = [
            FilePiece(offset: 0, size: 34, bytes: [1]), FilePiece(offset: 1, size: 35, bytes: [1]),
            FilePiece(offset: 0, size: 35, bytes: []),
            FilePiece(offset: 0, size: 35, bytes: [UInt8](repeating: 1, count: 11)),
        ]
        for piece in pieces {
            var scene = FetchScene(limits: .init(bytes: 1000, requests: 1, piece: 10))
            let file = scene.makeFile(1, size: 35)
            scene.fetch([file], of: token(1))
            scene.answer(with: piece)
            #expect(scene.asked.first?.offset == 0 && scene.files[file.digest]?.isEmpty == true)
            scene.answer(with: piece)
            #expect(scene.outcomes == [.giveUp(token(1), file.digest)])
        }
    }

    @Test(
        "A content that cannot be had for the moment is asked for again after a pause, longer each time, and others meanwhile"
    )
    func pauses() {
        var scene = FetchScene()
        let (slow, other) = (scene.makeFile(1, size: 10), scene.makeFile(2, size: 10))
        scene.fetch([slow], of: token(1))
        scene.fetch([other], of: token(2))
        for seconds in [1, 2, 4, 8, 16, 16] {
            scene.refuse(0, isLost: false)
            scene.answerAll()
            #expect(scene.outcomes == [.report(token(2))] && scene.asked.isEmpty)
            #expect(scene.fetches.nextDeadline == scene.now + .seconds(seconds))
            scene.pass(.seconds(seconds) - .milliseconds(1))
            #expect(scene.asked.isEmpty)
            scene.pass(.milliseconds(1))
            #expect(scene.asked.map(\.digest) == [slow.digest])
        }
        scene.answer()
        #expect(scene.outcomes.last == .report(token(1)))
    }

    @Test("After the loss of a connection, what was asked for is asked for again, and nothing that has come")
    func reconnection() {
        for seed in 0..<50 as Range<UInt64> {
            var random = SplitMix(seed: seed)
            var scene = FetchScene(limits: .init(bytes: 60, requests: 5, piece: 10))
            let (first, second) = (scene.makeFile(1, size: 333), scene.makeFile(2, size: 47))
            scene.fetch([first, second], of: token(1))
            for _ in 0..<6 {
                for _ in 0..<(random.next() % 8) where !scene.asked.isEmpty {
                    scene.answer(Int(random.next() % UInt64(scene.asked.count)))
                }
                scene.disconnect()
                #expect(scene.asked.isEmpty && scene.fetches.nextDeadline == nil)
                scene.connect()
            }
            scene.answerAll()
            #expect(scene.outcomes == [.report(token(1))])
            #expect(scene.most.requests <= 5 && scene.most.bytes <= 60)
        }
    }

    @Test("An attempt that is dropped is not reported, and its files are dropped unless another attempt needs them")
    func drop() {
        var scene = FetchScene(limits: .init(bytes: 1000, requests: 2, piece: 10))
        let (own, shared) = (scene.makeFile(1, size: 100), scene.makeFile(2, size: 30))
        scene.fetch([own, shared], of: token(1))
        scene.fetch([shared], of: token(2))
        scene.answer()
        scene.drop(token(1))
        #expect(scene.files[own.digest] == nil)
        // The requests of the dropped file count until they are answered.
        #expect(scene.asked.count == 2)
        scene.answerAll()
        #expect(scene.outcomes == [.report(token(2))] && scene.held == [shared.digest])
        scene.drop(token(1))
        #expect(scene.fetches.isEmpty)
    }

    @Test("A host that cannot keep a file tries some times, and then says that the fault is its own")
    func unkept() {
        var scene = FetchScene()
        let (file, other) = (scene.makeFile(1, size: 10), scene.makeFile(2, size: 10))
        scene.unkept = [file.digest]
        scene.fetch([file, other], of: token(1))
        #expect(scene.asked.map(\.digest) == [other.digest], "a file without room is asked for")
        for _ in 0..<10 where scene.outcomes.isEmpty { scene.pass(.seconds(16)) }
        #expect(scene.outcomes == [.fail(token(1), file.digest)])
        scene.answerAll()
        // Room appears in between.
        scene.fetch([file], of: token(2))
        scene.unkept = []
        scene.pass(.seconds(1))
        scene.answerAll()
        #expect(scene.outcomes.last == .report(token(2)))
    }

    @Test("A content that an attempt of this host leaves meanwhile is not fetched any more")
    func heldMeanwhile() {
        var scene = FetchScene(limits: .init(bytes: 100, requests: 4, piece: 10, transfers: 1))
        let (first, second) = (scene.makeFile(1, size: 5), scene.makeFile(2, size: 5))
        scene.fetch([first, second], of: token(1))
        scene.keep(second.digest)
        scene.answerAll()
        #expect(scene.outcomes == [.report(token(1))] && scene.askedCount == 1)
    }

    @Test("A silent connection, and one that forgets a request, are found out")
    func silence() {
        var scene = FetchScene(limits: .init(bytes: 1 << 20, requests: 2, piece: 10))
        let file = scene.makeFile(1, size: 100_000)
        scene.fetch([file], of: token(1))
        #expect(scene.fetches.nextDeadline == Duration.seconds(60))
        scene.pass(.seconds(59))
        scene.answer()
        #expect(!scene.fetches.isStuck(at: .seconds(118)) && scene.fetches.isStuck(at: .seconds(119)))
        // The second request is never answered, while others are.
        for _ in 0..<24 {
            scene.pass(.seconds(10))
            #expect(!scene.fetches.isStuck(at: scene.now))
            scene.answer(1)
        }
        scene.pass(.seconds(1))
        #expect(scene.fetches.isStuck(at: scene.now))
    }
}
