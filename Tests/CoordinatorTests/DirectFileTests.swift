@_spi(Baton) import BatonDocuments
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonScheduler
@_spi(Baton) import BatonWire
@_spi(Baton) import BatonZeroMQ
import Testing

@_spi(Baton) @testable import BatonCoordinator

@Suite("The naming of workers that give files directly")
struct DirectFileTests {
    private static let limit = CoordinatorCore.leastDirectLimit

    private func address(_ worker: Int, key: UInt8? = 7) throws -> DataAddress {
        let bytes = key.map { [UInt8](repeating: $0, count: DataAddress.keyLength) }
        return try #require(DataAddress(endpoint: "tcp://10.0.0.\(worker + 1):7463", publicKey: bytes))
    }

    /// A scene in which workers have connections for files, and some tell where they give them directly.
    private func scene(direct: [Int]? = nil) throws -> TransferScene {
        let scene = try TransferScene(size: 3 << 20)
        scene.connectAll()
        for worker in direct ?? scene.holders { tell(worker, try address(worker), in: scene) }
        return scene
    }

    private func tell(_ worker: Int, _ address: DataAddress, in scene: TransferScene) {
        scene.say(
            .dataAddress(TransferScene.session(worker), address),
            as: worker,
            over: TransferScene.files(worker)
        )
    }

    /// What a holder was told for the last request.
    private struct Told {
        var worker: Int
        var ticket: ReaderTicket?
        var asked: TransferScene.Asked
    }

    /// Takes what the holders were told since the last call; one of them was asked.
    private func takeTold(_ scene: TransferScene) throws -> Told {
        for worker in scene.holders {
            let messages = scene.take(TransferScene.files(worker))
            guard
                case .said(.readPiece(let number, let echo, scene.file.digest, let offset, let limit))? = messages.last
            else { continue }
            let asked = TransferScene.Asked(worker: worker, number: number, echo: echo, offset: offset, limit: limit)
            guard messages.count > 1 else { return Told(worker: worker, ticket: nil, asked: asked) }
            guard messages.count == 2,
                case .said(.admitReader(let ticket, scene.file.digest, CoordinatorCore.ticketSeconds)) = messages[0]
            else {
                Issue.record("\(messages)")
                continue
            }
            return Told(worker: worker, ticket: ticket, asked: asked)
        }
        return try #require(nil as Told?, "Nobody was asked.")
    }

    @Test("FI11 A holder admits the reader before it is asked, and the reader is told with the first piece, not before")
    func order() throws {
        let scene = try self.scene()
        scene.fetch(7, limit: Self.limit)
        let told = try takeTold(scene)
        let ticket = try #require(told.ticket)
        #expect(scene.takeAnswers().isEmpty)
        let piece = scene.piece(told.asked)
        scene.give(piece, as: told.worker)
        let source = CoordinatorMessage.directSource(
            echo: 7,
            scene.file.digest,
            try address(told.worker),
            ticket
        )
        #expect(scene.takeAnswers() == [.said(source), .passed(piece)])
        // The pieces behind go as before.
        scene.fetch(8, offset: UInt64(Self.limit), limit: Self.limit)
        let next = try takeTold(scene)
        #expect(next.ticket == nil)
        scene.give(scene.piece(next.asked), as: next.worker)
        #expect(scene.takeAnswers() == [.passed(scene.piece(next.asked))])
        // From its beginning, it is another file: with another ticket.
        scene.fetch(9, limit: Self.limit)
        let again = try takeTold(scene)
        #expect(again.ticket != nil && again.ticket != ticket)
        #expect(scene.coordinator.core.pieces.openCount == 1)
    }

    @Test("Small pieces, and holders that give files through the coordinator alone, need no ticket")
    func needless() throws {
        let small = try self.scene()
        small.fetch(7, limit: Self.limit - 1)
        #expect(try takeTold(small).ticket == nil)
        let without = try self.scene(direct: [])
        without.fetch(7, limit: Self.limit)
        let told = try takeTold(without)
        #expect(told.ticket == nil)
        without.give(without.piece(told.asked), as: told.worker)
        #expect(without.takeAnswers() == [.passed(without.piece(told.asked))])
        // The address of the one that asks is of no use to itself.
        let own = try self.scene(direct: [])
        tell(own.asker, try address(own.asker), in: own)
        own.fetch(7, limit: Self.limit)
        #expect(try takeTold(own).ticket == nil)
    }

    @Test("Of several holders, one that gives files directly is asked for the beginning")
    func preference() throws {
        for place in 0...1 {
            let scene = try self.scene(direct: [])
            let holder = scene.holders[place]
            tell(holder, try address(holder), in: scene)
            scene.fetch(7, limit: Self.limit)
            let told = try takeTold(scene)
            #expect(told.worker == holder && told.ticket != nil)
        }
    }

    @Test("Those who give a file directly take turns, so that its readers are spread over them")
    func turns() throws {
        let scene = try self.scene()
        let sessions = (0..<3).map { TransferScene.session($0) }
        let direct = Set(scene.holders.map { TransferScene.session($0) })
        var first: [SessionID] = []
        for _ in 0..<4 {
            var candidates = sessions
            scene.coordinator.core.preferDirect(&candidates)
            #expect(Set(candidates) == Set(sessions) && candidates.last == TransferScene.session(scene.asker))
            first.append(candidates[0])
        }
        #expect(Set(first) == direct && first[0] != first[1] && first[0] == first[2] && first[1] == first[3])
    }

    @Test("If the holder does not have the file after all, the reader is told of the next one alone")
    func nextHolder() throws {
        let scene = try self.scene()
        scene.fetch(7, limit: Self.limit)
        let first = try takeTold(scene)
        scene.give(PassedPiece(number: first.asked.number, echo: 7, piece: nil), as: first.worker)
        #expect(scene.takeAnswers().isEmpty)
        let second = try takeTold(scene)
        #expect(second.worker != first.worker && second.ticket != nil && second.ticket != first.ticket)
        let piece = scene.piece(second.asked)
        scene.give(piece, as: second.worker)
        let ticket = try #require(second.ticket)
        let source = CoordinatorMessage.directSource(echo: 7, scene.file.digest, try address(second.worker), ticket)
        #expect(scene.takeAnswers() == [.said(source), .passed(piece)])
    }

    @Test("FI11 A worker that may not read a file gets no ticket for it")
    func permission() throws {
        let scene = try self.scene()
        let digest = try #require(ContentDigest(bytes: [UInt8](repeating: 8, count: ContentDigest.length)))
        scene.say(
            .fetchPiece(
                TransferScene.session(scene.asker),
                number: 1,
                scene.token,
                digest,
                offset: 0,
                limit: Self.limit
            ),
            as: scene.asker,
            over: TransferScene.files(scene.asker)
        )
        #expect(scene.takeAnswers() == [.said(.pieceUnavailable(echo: 1, isLost: false))])
        for worker in scene.holders { #expect(scene.take(TransferScene.files(worker)).isEmpty) }
    }

    @Test("A client is given its pieces, and named nobody")
    func client() throws {
        let scene = try self.scene()
        scene.ask(.filePiece(.operation(scene.producer), path: "out/a.bin", offset: 0, limit: Self.limit))
        let told = try takeTold(scene)
        #expect(told.ticket == nil)
        scene.give(scene.piece(told.asked), as: told.worker)
        #expect(scene.takeAnswers().isEmpty)
    }

    @Test("A reader whose connection was made anew is told again, wherever it goes on")
    func newConnection() throws {
        let scene = try self.scene()
        scene.fetch(7, limit: Self.limit)
        let told = try takeTold(scene)
        scene.give(scene.piece(told.asked), as: told.worker)
        _ = scene.takeAnswers()
        scene.connect(scene.asker, 1)
        scene.say(
            .fetchPiece(
                TransferScene.session(scene.asker),
                number: 8,
                scene.token,
                scene.file.digest,
                offset: 1 << 20,
                limit: Self.limit
            ),
            as: scene.asker,
            over: TransferScene.files(scene.asker, 1)
        )
        let again = try takeTold(scene)
        #expect(again.ticket != nil && again.ticket != told.ticket)
    }

    @Test(
        "An address counts over the connection of its session, if others can connect to it, until that connection ends"
    )
    func addresses() throws {
        let scene = try self.scene(direct: [])
        let (holder, other) = (scene.holders[0], scene.holders[1])
        let session = TransferScene.session(holder)
        func known() -> String? { scene.coordinator.core.fileConnections.address(of: session)?.endpoint }
        for peer in [TransferScene.files(other), TransferScene.peer(holder), RoutingID(inProcess: 5000)] {
            scene.say(.dataAddress(session, try address(holder)), as: holder, over: peer)
            #expect(known() == nil)
        }
        for endpoint in ["tcp://*:7463", "tcp://0.0.0.0:7463", "tcp://10.0.0.1:*", "tcp://10.0.0.1", "tcp://x;y:1"] {
            tell(holder, try #require(DataAddress(endpoint: endpoint, publicKey: nil)), in: scene)
            #expect(known() == nil, "\(endpoint)")
        }
        tell(holder, try address(holder), in: scene)
        #expect(known() == "tcp://10.0.0.\(holder + 1):7463")
        #expect(scene.coordinator.core.workerDocument("w\(holder)")?.dataAddress == known())
        #expect(scene.coordinator.core.workerDocument("w\(other)")?.dataAddress == nil)
        scene.connect(holder, 1)
        #expect(known() == nil && !scene.coordinator.core.fileConnections.haveAddresses)
    }

    @Test("What workers tell to have received directly is counted, however much they tell")
    func figures() throws {
        let scene = try self.scene()
        let session = TransferScene.session(scene.asker)
        let files = TransferScene.files(scene.asker)
        scene.say(.directBytes(session, 300), as: scene.asker, over: files)
        scene.say(.directBytes(session, 5), as: scene.asker, over: TransferScene.peer(scene.asker))
        scene.say(.directBytes(session, 7), as: scene.asker, over: files)
        #expect(scene.coordinator.core.pieces.directBytes == 307)
        for _ in 0..<2 { scene.say(.directBytes(session, .max), as: scene.asker, over: files) }
        #expect(scene.coordinator.core.pieces.directBytes == .max)
    }
}
