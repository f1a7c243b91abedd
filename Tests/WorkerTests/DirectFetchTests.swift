@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWire
import Testing

@_spi(Baton) @testable import BatonWorker

@Suite("The fetching of files from other workers directly")
struct DirectFetchTests {
    private static let piece = 256 << 10

    private func token(_ serial: UInt64) -> AttemptToken { AttemptToken(epoch: 1, serial: serial) }

    private func holder(_ number: Int = 1) throws -> DataAddress {
        try #require(DataAddress(endpoint: "tcp://10.0.0.\(number):7463", publicKey: nil))
    }

    @Test("The rest of a large file is asked of the worker that is named with its first piece, within the same limits")
    func rest() throws {
        var scene = FetchScene()
        let file = scene.makeFile(1, size: 12 << 20 + 5)
        let holder = try self.holder()
        scene.fetch([file], of: token(1))
        #expect(scene.asked.count == 32, "a coordinator that has named nobody is asked for everything at once")
        let source = scene.name(holder)
        scene.answer()
        #expect(scene.askedDirectly.map(\.holder) == [holder])
        let request = try #require(scene.askedDirectly.first?.request)
        #expect(request.ticket == source.ticket && request.digest == file.digest && request.offset == 8 << 20)
        scene.answerEverybody()
        #expect(scene.outcomes == [.report(token(1))] && scene.held == [file.digest])
        #expect(scene.fetches.directBytes == UInt64(4 << 20 + 5))
        #expect(scene.most.requests <= 64 && scene.most.bytes <= 8 << 20)
        #expect(scene.fetches.openCount == 0 && scene.fetches.isEmpty)
    }

    @Test("Once a worker was named, the rest of a large file waits for the answer to its first request, named or not")
    func holdingBack() throws {
        var scene = FetchScene()
        let files = (1...3 as ClosedRange<UInt8>).map { scene.makeFile($0, size: 3 << 20) }
        let small = scene.makeFile(4, size: 1 << 20)
        let holder = try self.holder()
        scene.fetch([files[0]], of: token(1))
        scene.name(holder)
        scene.answerEverybody()
        #expect(scene.fetches.directBytes == 0, "everything was asked for before")
        scene.fetch([files[1]], of: token(2))
        #expect(scene.asked.map(\.offset) == [0])
        scene.name(holder)
        scene.answer()
        #expect(scene.asked.isEmpty && scene.askedDirectly.count == 11)
        scene.answerEverybody()
        #expect(scene.fetches.directBytes == UInt64(3 << 20 - Self.piece))
        // Without a source, the coordinator is asked for the rest.
        scene.fetch([files[2]], of: token(3))
        #expect(scene.asked.map(\.offset) == [0])
        scene.answer(0, atMost: 10)
        #expect(scene.asked.count == 12 && scene.askedDirectly.isEmpty)
        scene.answerEverybody()
        // A file that is not large comes through the coordinator, whoever is named.
        scene.fetch([small], of: token(4))
        #expect(scene.asked.count == 4)
        scene.name(holder)
        scene.answerEverybody()
        #expect(scene.fetches.directBytes == UInt64(3 << 20 - Self.piece))
        #expect(scene.outcomes == (1...4 as ClosedRange<UInt64>).map { FileFetches.Action.report(token($0)) })
    }

    /// A scene in which a worker is asked for the rest of a file.
    private func started(size: Int = 3 << 20) throws -> (scene: FetchScene, file: KeptFile) {
        var scene = FetchScene()
        let (first, file) = (scene.makeFile(1, size: 2 << 20), scene.makeFile(2, size: size))
        scene.fetch([first], of: token(1))
        scene.name(try holder())
        scene.answerEverybody()
        scene.fetch([file], of: token(2))
        scene.name(try holder())
        scene.answer()
        #expect(scene.asked.isEmpty && !scene.askedDirectly.isEmpty)
        return (scene, file)
    }

    @Test("A worker that is silent is left after a while, not asked again for longer, and its answers come too late")
    func silence() throws {
        let (start, file) = try started()
        var scene = start
        let holder = try self.holder()
        scene.answerDirectly()
        scene.pass(.milliseconds(4_900))
        #expect(scene.left.isEmpty && scene.asked.isEmpty)
        #expect(scene.fetches.nextDeadline == scene.now + .milliseconds(100))
        let late = scene.askedDirectly[0]
        scene.pass(.milliseconds(100))
        #expect(scene.left == [holder] && scene.askedDirectly.isEmpty && scene.asked.count == 10)
        let content = try #require(scene.contents[file.digest])
        let place = Int(late.request.offset)
        let piece = FilePiece(
            offset: late.request.offset,
            size: UInt64(content.count),
            bytes: Array(content[place..<(place + Self.piece)])
        )
        let direct = scene.fetches.directBytes
        scene.change { $0.receive(piece, number: late.request.number, from: holder, at: .seconds(6)) }
        #expect(scene.fetches.directBytes == direct)
        // For a minute, it is of no use to name it.
        scene.name(holder)
        scene.answerAll()
        #expect(scene.outcomes == [.report(token(1)), .report(token(2))] && scene.askedDirectly.isEmpty)
        for (number, isAvoided) in [(UInt8(3), true), (4, false)] {
            scene.pass(.seconds(30))
            let next = scene.makeFile(number, size: 2 << 20)
            scene.fetch([next], of: token(UInt64(number)))
            scene.name(holder)
            scene.answer()
            #expect(scene.askedDirectly.isEmpty == isAvoided)
            scene.answerEverybody()
        }
        #expect(scene.outcomes.count == 4)
    }

    @Test(
        "A silent coordinator's connection is given up, whatever other workers answer; and theirs is no reason for it"
    )
    func silentCoordinator() throws {
        var (scene, _) = try started(size: 6 << 20)
        scene.pass(.seconds(2))
        let small = scene.makeFile(3, size: 10)
        // Nothing was asked of the coordinator for longer than its patience.
        for _ in 0..<20 {
            scene.answerDirectly()
            scene.pass(.seconds(4))
        }
        #expect(!scene.fetches.isStuck(at: scene.now) && scene.asked.isEmpty)
        while !scene.askedDirectly.isEmpty { scene.answerDirectly() }
        scene.fetch([small], of: token(3))
        let large = scene.makeFile(4, size: 6 << 20)
        scene.fetch([large], of: token(4))
        #expect(scene.asked.count == 2)
        scene.name(try holder(), for: 1)
        scene.answer(1)
        for _ in 0..<14 {
            scene.answerDirectly()
            scene.pass(.seconds(4))
        }
        #expect(!scene.fetches.isStuck(at: scene.now))
        scene.pass(.seconds(4))
        #expect(scene.fetches.isStuck(at: scene.now))
    }

    @Test("A worker whose connection ends is left at once, and not asked again for a while if it had requests")
    func connectionEnds() throws {
        let (start, _) = try started()
        var scene = start
        let holder = try self.holder()
        #expect(scene.fetches.asksDirectly(holder))
        scene.change { $0.holderFailed(holder, at: .zero) }
        #expect(!scene.fetches.asksDirectly(holder) && scene.left.isEmpty)
        #expect(scene.asked.count == 11)
        scene.answerAll()
        #expect(scene.outcomes.last == .report(token(2)) && scene.fetches.isEmpty)
    }

    @Test("A worker that refuses is asked for nothing more of the file")
    func refusal() throws {
        var (scene, _) = try started()
        scene.answerDirectly(3, with: nil)
        #expect(scene.asked.map(\.offset) == [UInt64(4 * Self.piece)])
        while !scene.askedDirectly.isEmpty { scene.answerDirectly(0, with: nil) }
        #expect(scene.asked.count == 11 && scene.left.isEmpty)
        scene.answerAll()
        #expect(scene.outcomes == [.report(token(1)), .report(token(2))] && scene.fetches.directBytes == 0)
    }

    @Test("FI8 A file that comes damaged from another worker begins again at the coordinator")
    func damage() throws {
        for isWhole in [true, false] {
            let (start, file) = try started()
            var scene = start
            if isWhole {
                scene.wrong[file.digest] = 1
                while !scene.askedDirectly.isEmpty { scene.answerDirectly() }
            } else {
                scene.answerDirectly(0, with: FilePiece(offset: 1, size: 3 << 20, bytes: [1]))
            }
            #expect(scene.asked.map(\.offset) == [0] && scene.files[file.digest]?.isEmpty == true)
            scene.answerEverybody()
            #expect(scene.outcomes == [.report(token(1)), .report(token(2))])
        }
    }

    @Test("With the connection to the coordinator, the tickets end, and so do the requests to other workers")
    func disconnection() throws {
        let (start, file) = try started()
        var scene = start
        scene.answerDirectly()
        let asked = scene.askedDirectly
        scene.disconnect()
        #expect(scene.fetches.openCount == 0)
        for request in asked {
            let piece = FilePiece(offset: request.request.offset, size: UInt64(file.size), bytes: [1])
            scene.change { $0.receive(piece, number: request.request.number, from: request.holder, at: .zero) }
        }
        scene.connect()
        #expect(scene.askedDirectly.isEmpty && scene.asked.count == 10)
        scene.answerAll()
        #expect(scene.outcomes == [.report(token(1)), .report(token(2))] && scene.held.contains(file.digest))
    }

    @Test("Who was not asked gives nothing, and a source counts for an open request of its file alone")
    func strangers() throws {
        let (start, file) = try started()
        var scene = start
        let (holder, other) = (try self.holder(), try self.holder(2))
        let request = scene.askedDirectly[0].request
        let piece = FilePiece(offset: request.offset, size: UInt64(file.size), bytes: [1, 2, 3])
        scene.change { $0.receive(piece, number: request.number, from: other, at: .zero) }
        scene.change { $0.receive(piece, number: request.number, at: .zero) }
        scene.change { $0.receiveUnavailable(number: request.number, isLost: true, at: .zero) }
        #expect(scene.fetches.isOpen(request.number) && scene.outcomes == [.report(token(1))])
        let source = DirectSource(address: other, ticket: .random())
        scene.change { $0.receiveSource(source, of: file.digest, number: request.number, at: .zero) }
        scene.change { $0.receiveSource(source, of: file.digest, number: 4711, at: .zero) }
        scene.answerDirectly()
        #expect(scene.askedDirectly.allSatisfy { $0.holder == holder })
        let third = scene.makeFile(3, size: 2 << 20)
        scene.fetch([third], of: token(3))
        let number = try #require(scene.asked.first?.number)
        scene.change { $0.receiveSource(source, of: file.digest, number: number, at: .zero) }
        scene.answerEverybody()
        #expect(scene.outcomes.count == 3 && scene.left.isEmpty)
    }

    @Test("A closed or impossible connection has its files asked of the coordinator", arguments: [true, false])
    func closed(isFailure: Bool) throws {
        var (scene, _) = try started()
        let holder = try self.holder()
        scene.change { if isFailure { $0.holderFailed(holder, at: .zero) } else { $0.holderClosed(holder) } }
        #expect(scene.askedDirectly.isEmpty && scene.asked.count == 11)
        scene.answerAll()
        let next = scene.makeFile(3, size: 2 << 20)
        scene.fetch([next], of: token(3))
        scene.name(holder)
        scene.answer()
        #expect(scene.askedDirectly.isEmpty == isFailure)
        scene.answerEverybody()
        #expect(scene.outcomes.count == 3)
    }

    @Test("FI3 Whatever becomes of the workers, each file arrives once and whole", arguments: 0..<12 as Range<UInt64>)
    func orders(seed: UInt64) throws {
        var random = SplitMix(seed: seed)
        var scene = FetchScene()
        let holders = try (1...3).map { try holder($0) }
        let files = (1...4 as ClosedRange<UInt8>).map { scene.makeFile($0, size: Int(random.next() % (2 << 20))) }
        for (index, file) in files.enumerated() { scene.fetch([file], of: token(UInt64(index) + 1)) }
        func below(_ count: Int) -> Int { Int(random.next() % UInt64(count)) }
        while !scene.fetches.isEmpty {
            switch below(12) {
            case 0 where !scene.asked.isEmpty: scene.name(holders[below(3)], for: below(scene.asked.count))
            case 1...5 where !scene.asked.isEmpty:
                scene.answer(below(scene.asked.count), atMost: below(4) == 0 ? 1 + below(Self.piece) : nil)
            case 6...8 where !scene.askedDirectly.isEmpty: scene.answerDirectly(below(scene.askedDirectly.count))
            case 9 where !scene.askedDirectly.isEmpty && below(4) == 0:
                scene.answerDirectly(below(scene.askedDirectly.count), with: nil)
            case 10 where below(6) == 0: scene.pass(.seconds(3))
            case 11 where below(20) == 0:
                scene.disconnect()
                scene.connect()
            default: break
            }
        }
        #expect(Set(scene.held) == Set(files.map(\.digest)))
        #expect(scene.outcomes.count == files.count && scene.files.isEmpty)
        #expect(scene.most.requests <= 64 && scene.most.bytes <= 8 << 20)
    }
}
