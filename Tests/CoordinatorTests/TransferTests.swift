@_spi(Baton) import BatonKeys
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonScheduler
@_spi(Baton) import BatonWire
@_spi(Baton) import BatonZeroMQ
import Testing

@_spi(Baton) @testable import BatonCoordinator

@Suite("Transfers of files")
struct TransferTests {
    @Test("A piece goes from a worker that keeps the file to the one that asked for it, as it is")
    func passing() throws {
        let scene = try TransferScene()
        scene.connectAll()
        for (number, offset) in [(UInt64(7), UInt64(0)), (8, 100), (9, 950)] {
            scene.fetch(number, offset: offset)
            let asked = try #require(scene.takeAsked().first)
            #expect(asked.echo == number && asked.offset == offset && asked.limit == 100)
            #expect(scene.holders.contains(asked.worker))
            let piece = scene.piece(asked)
            scene.give(piece, as: asked.worker)
            #expect(scene.takeAnswers() == [.passed(piece)])
            // Nobody wants it twice.
            scene.give(piece, as: asked.worker)
            #expect(scene.takeAnswers().isEmpty)
        }
        #expect(scene.coordinator.core.pieces.openCount == 0 && !scene.coordinator.core.pieces.hasBytes)
    }

    @Test("Requests that arrive in one turn reach their holder together, in their order")
    func together() throws {
        let scene = try TransferScene()
        scene.connectAll()
        let before = scene.coordinator.together.count
        let numbers = 1...40 as ClosedRange<UInt64>
        for number in numbers {
            let request = WorkerMessage.fetchPiece(
                TransferScene.session(scene.asker),
                number: number,
                scene.token,
                scene.file.digest,
                offset: number,
                limit: 10
            )
            scene.coordinator.receive(request.encoded(), from: TransferScene.files(scene.asker))
        }
        scene.settle()
        #expect(scene.coordinator.together.dropFirst(before) == [40])
        #expect(scene.takeAsked().map(\.echo) == Array(numbers))
    }

    @Test("A worker without the file makes room for the next one, and the file is lost without another one")
    func missing() throws {
        let scene = try TransferScene()
        scene.connectAll()
        scene.fetch(7)
        var asked = try #require(scene.takeAsked().first)
        let first = asked.worker
        scene.give(PassedPiece(number: asked.number, echo: 7, piece: nil), as: first)
        asked = try #require(scene.takeAsked().first)
        #expect(asked.worker != first && asked.echo == 7)
        scene.give(PassedPiece(number: asked.number, echo: 7, piece: nil), as: asked.worker)
        #expect(scene.takeAnswers() == [.said(.pieceUnavailable(echo: 7, isLost: true))])
    }

    @Test("FI8 A holder that says in place of a piece that its copy is damaged loses it so", arguments: [true, false])
    func damagedAtHolder(isDamaged: Bool) throws {
        let scene = try TransferScene()
        scene.connectAll()
        scene.fetch(7)
        var last = 0
        for _ in scene.holders {
            let asked = try #require(scene.takeAsked().first)
            last = asked.worker
            scene.give(PassedPiece(number: asked.number, echo: 7, piece: nil, isDamaged: isDamaged), as: last)
        }
        #expect(scene.takeAnswers() == [.said(.pieceUnavailable(echo: 7, isLost: true))])
        scene.say(
            .filesMissing(TransferScene.session(scene.asker), scene.token, [scene.file.digest]),
            as: scene.asker
        )
        let dependent = OperationID(job: scene.producer.job, index: 1)
        var losses: [FileLoss?] = []
        for case .files(_, _, _, let loss, _, _, _) in scene.coordinator.core.scheduler.impediments(of: dependent) ?? []
        {
            losses.append(loss)
        }
        #expect(losses == [FileLoss(isDamaged ? .damage : .absence, of: "w\(last)")])
    }

    @Test("An answer that is longer than it was asked for, or for another one, is no answer")
    func wrongAnswers() throws {
        for isLong in [true, false] {
            let scene = try TransferScene()
            scene.connectAll()
            scene.fetch(7, limit: 100)
            let asked = try #require(scene.takeAsked().first)
            var piece = scene.piece(asked)
            if isLong {
                piece.piece?.bytes += [UInt8](repeating: 1, count: 100)
            } else {
                piece.echo += 1
            }
            scene.give(piece, as: asked.worker)
            #expect(scene.takeAnswers().isEmpty)
            let next = try #require(scene.takeAsked().first)
            #expect(next.worker != asked.worker)
            // Another worker than the asked one says nothing.
            scene.give(scene.piece(next), as: asked.worker)
            #expect(scene.takeAnswers().isEmpty)
            scene.give(scene.piece(next), as: next.worker, over: TransferScene.peer(next.worker))
            #expect(scene.takeAnswers().isEmpty)
            scene.give(scene.piece(next), as: next.worker)
            #expect(scene.takeAnswers() == [.passed(scene.piece(next))])
        }
    }

    @Test("FI11 A worker gets the files of its attempts alone, over its own connection")
    func permission() throws {
        let scene = try TransferScene()
        scene.connectAll()
        let other = try #require(scene.holders.first)
        let session = TransferScene.session(scene.asker)
        let digest = try #require(ContentDigest(bytes: [UInt8](repeating: 8, count: ContentDigest.length)))
        // Another file; an attempt that there is not; the attempt of another worker.
        scene.say(
            .fetchPiece(session, number: 1, scene.token, digest, offset: 0, limit: 10),
            as: scene.asker,
            over: TransferScene.files(scene.asker)
        )
        scene.say(
            .fetchPiece(
                session,
                number: 2,
                AttemptToken(epoch: 1, serial: 77),
                scene.file.digest,
                offset: 0,
                limit: 10
            ),
            as: scene.asker,
            over: TransferScene.files(scene.asker)
        )
        #expect(
            scene.takeAnswers() == [
                .said(.pieceUnavailable(echo: 1, isLost: false)), .said(.pieceUnavailable(echo: 2, isLost: false)),
            ]
        )
        scene.say(
            .fetchPiece(TransferScene.session(other), number: 3, scene.token, scene.file.digest, offset: 0, limit: 10),
            as: other,
            over: TransferScene.files(other)
        )
        #expect(scene.take(TransferScene.files(other)) == [.said(.pieceUnavailable(echo: 3, isLost: false))])
        // In the name of the session, over another connection than its own.
        for peer in [TransferScene.files(other), TransferScene.peer(scene.asker), RoutingID(inProcess: 5000)] {
            scene.say(
                .fetchPiece(session, number: 4, scene.token, scene.file.digest, offset: 0, limit: 10),
                as: other,
                over: peer
            )
        }
        #expect(scene.takeAsked().isEmpty && scene.takeAnswers().isEmpty)
    }

    @Test("FI3 A worker is asked once to return an attempt that waits for a file which its operation does not need")
    func outdated() throws {
        let scene = try TransferScene()
        scene.connectAll()
        let digest = try #require(ContentDigest(bytes: [UInt8](repeating: 8, count: ContentDigest.length)))
        _ = scene.take(TransferScene.peer(scene.asker))
        // The file that it needs is no reason.
        scene.fetch(1)
        #expect(scene.take(TransferScene.peer(scene.asker)).isEmpty)
        for number in 2...4 as ClosedRange<UInt64> {
            scene.say(
                .fetchPiece(
                    TransferScene.session(scene.asker),
                    number: number,
                    scene.token,
                    digest,
                    offset: 0,
                    limit: 10
                ),
                as: scene.asker,
                over: TransferScene.files(scene.asker)
            )
            #expect(scene.takeAnswers() == [.said(.pieceUnavailable(echo: number, isLost: false))])
            let recalls = scene.take(TransferScene.peer(scene.asker)).count { $0 == .said(.recall([scene.token])) }
            #expect(recalls == (number == 2 ? 1 : 0))
        }
    }

    @Test("FI11 A connection for files is made with the key of the session's worker, and ends with it")
    func keys() throws {
        let scene = try HostileScene()
        let session = try scene.join(.honest)
        scene.say(.fileConnection(session), as: .hostile, over: 2)
        scene.say(.fileConnection(SessionID(rawValue: 4711)), as: .honest, over: 2)
        #expect(!scene.core.movesFiles)
        scene.say(.fileConnection(session), as: .honest, over: 2)
        #expect(scene.core.movesFiles)
        scene.disconnect(.honest, 2)
        #expect(!scene.core.movesFiles)
        // The session goes on without it.
        #expect(scene.core.scheduler.isCurrent(session))
    }

    @Test("A stopped worker makes room for the next one, and is asked again once nobody else has the file")
    func silence() throws {
        let scene = try TransferScene()
        scene.connectAll()
        scene.fetch(7)
        let first = try #require(scene.takeAsked().first)
        scene.pass(.seconds(29))
        #expect(scene.takeAsked().isEmpty)
        scene.pass(.seconds(5))
        let second = try #require(scene.takeAsked().first)
        #expect(second.worker != first.worker && second.echo == 7)
        scene.pass(.seconds(40))
        #expect(scene.takeAnswers() == [.said(.pieceUnavailable(echo: 7, isLost: false))])
        // A late answer is nobody's.
        scene.give(scene.piece(second), as: second.worker)
        #expect(scene.takeAnswers().isEmpty)
        scene.fetch(8)
        #expect(scene.takeAsked().map(\.worker) == [second.worker])
    }

    @Test("What a worker was asked for goes to another one when its connection ends, or to itself when it is back")
    func connections() throws {
        let scene = try TransferScene()
        scene.connect(scene.asker)
        scene.fetch(7)
        #expect(scene.takeAnswers() == [.said(.pieceUnavailable(echo: 7, isLost: false))])
        let (first, second) = (scene.holders[0], scene.holders[1])
        scene.connect(first)
        scene.fetch(8)
        #expect(scene.takeAsked().map(\.worker) == [first])
        scene.connect(second)
        scene.coordinator.core.connectionEnded(TransferScene.files(first))
        scene.settle()
        #expect(scene.takeAsked().map(\.worker) == [second])
        // The second connection of a session replaces the first one.
        scene.connect(second, 1)
        let asked = try #require(scene.takeAsked(over: 1).first)
        #expect(asked.worker == second && asked.echo == 8)
        scene.give(scene.piece(asked), as: second)
        #expect(scene.takeAnswers().isEmpty)
        scene.give(scene.piece(asked), as: second, over: TransferScene.files(second, 1))
        #expect(scene.takeAnswers() == [.passed(scene.piece(asked))])
        // The worker that asks goes away: nothing is left of its requests.
        scene.fetch(9)
        scene.coordinator.core.connectionEnded(TransferScene.files(scene.asker))
        scene.settle()
        #expect(scene.coordinator.core.pieces.openCount == 0 && !scene.coordinator.core.pieces.hasBytes)
    }

    @Test("FI12 A worker that does not read gets no more than its window, and what it has read makes room")
    func slowReceiver() throws {
        let scene = try TransferScene(size: 16 << 20)
        scene.connectAll()
        let length = UInt32(FilePiece.maximumLength)
        scene.coordinator.isRead = false
        for number in 0..<100 as Range<UInt64> { scene.fetch(number, offset: number * UInt64(length), limit: length) }
        var asked = scene.takeAsked()
        #expect(asked.count <= (8 << 20) / Int(length) && asked.count >= (7 << 20) / Int(length))
        for request in asked { scene.give(scene.piece(request), as: request.worker) }
        #expect(scene.takeAsked().isEmpty)
        #expect(scene.takeAnswers().count == asked.count)
        let message = scene.piece(asked[0]).encoded()
        for _ in asked { scene.coordinator.core.delivered(message.count, to: TransferScene.files(scene.asker)) }
        scene.settle()
        asked = scene.takeAsked()
        #expect(!asked.isEmpty)
    }

    // MARK: - Clients

    @Test("FI10 A client reads a file that an operation has left, piece by piece and whole")
    func client() throws {
        let scene = try TransferScene()
        scene.connectAll()
        let address = Address.operation(scene.producer)
        var read: [UInt8] = []
        while read.count < scene.content.count {
            scene.ask(.filePiece(address, path: "out/a.bin", offset: UInt64(read.count), limit: 300))
            let asked = try #require(scene.takeAsked().first)
            scene.give(scene.piece(asked), as: asked.worker)
            guard case .filePiece(let piece)? = scene.takeReplies().last else { throw Unexpected(answer: "no piece") }
            #expect(piece.offset == UInt64(read.count) && piece.size == UInt64(scene.content.count))
            read += piece.bytes
        }
        #expect(read == scene.content)
        scene.ask(.filePiece(address, path: "out/a.bin", offset: 5000, limit: 300))
        #expect(scene.takeReplies() == [.filePiece(FilePiece(offset: 1000, size: 1000, bytes: []))])
        #expect(scene.takeAsked().isEmpty)
    }

    @Test("A client hears of a file that there is not, that nobody has, or whose worker does not answer")
    func clientRefusals() throws {
        let scene = try TransferScene()
        func refusal(_ path: String, of operation: OperationID, after time: Duration = .zero) throws -> Refusal {
            scene.ask(.filePiece(.operation(operation), path: path, offset: 0, limit: 300))
            scene.pass(time)
            guard case .refused(let refusal)? = scene.takeReplies().last else { throw Unexpected(answer: "no refusal") }
            return refusal
        }
        #expect(try refusal("out/b.bin", of: scene.producer).code == .notFound)
        #expect(try refusal("out/a.bin", of: OperationID(job: JobNumber(70), index: 0)).code == .notFound)
        #expect(try refusal("out/a.bin", of: OperationID(job: scene.producer.job, index: 1)).code == .unavailable)
        let absent = try refusal("out/a.bin", of: scene.producer, after: .seconds(60))
        #expect(absent.code == .unavailable && absent.message.hasSuffix("does not answer. Try again."))
        scene.connectAll()
        // The first holder has another file under the digest, and the second holder has no file.
        scene.ask(.filePiece(.operation(scene.producer), path: "out/a.bin", offset: 0, limit: 300))
        let first = try #require(scene.takeAsked().first)
        var wrong = scene.piece(first)
        wrong.piece?.size += 1
        scene.give(wrong, as: first.worker)
        let second = try #require(scene.takeAsked().first)
        #expect(second.worker != first.worker && scene.takeReplies().isEmpty)
        scene.give(PassedPiece(number: second.number, echo: 0, piece: nil), as: second.worker)
        guard case .refused(let lost)? = scene.takeReplies().last else { throw Unexpected(answer: "no refusal") }
        #expect(lost.code == .unavailable && lost.message.contains("No worker has the file"))
    }

    @Test("FI10 A client waits for a worker that is about to open its connection for files, or to open it again")
    func lateConnection() throws {
        let scene = try TransferScene()
        let holder = scene.holders[0]
        _ = scene.takeReplies()
        for offset in [0, 300, 600] as [UInt64] {
            scene.ask(.filePiece(.operation(scene.producer), path: "out/a.bin", offset: offset, limit: 300))
        }
        scene.pass(.seconds(20))
        #expect(scene.takeReplies().isEmpty)
        scene.connect(holder)
        var asked = scene.takeAsked()
        #expect(asked.map(\.worker) == [holder, holder, holder] && asked.map(\.offset) == [0, 300, 600])
        // What was wanted over a connection that ends is wanted over the next one, and the time begins anew.
        scene.coordinator.core.connectionEnded(TransferScene.files(holder))
        scene.pass(.seconds(20))
        #expect(scene.takeReplies().isEmpty)
        scene.connect(holder, 1)
        asked = scene.takeAsked(over: 1)
        #expect(asked.map(\.offset) == [0, 300, 600])
        for request in asked { scene.give(scene.piece(request), as: holder, over: TransferScene.files(holder, 1)) }
        let offsets = scene.takeReplies().compactMap { reply -> UInt64? in
            if case .filePiece(let piece) = reply { piece.offset } else { nil }
        }
        #expect(offsets == [0, 300, 600])
        // A worker that drops the file meanwhile ends the wait.
        scene.coordinator.core.connectionEnded(TransferScene.files(holder, 1))
        scene.ask(.filePiece(.operation(scene.producer), path: "out/a.bin", offset: 0, limit: 300))
        #expect(scene.takeReplies().isEmpty)
        for worker in scene.holders {
            scene.say(.filesDropped(TransferScene.session(worker), [scene.file.digest]), as: worker)
        }
        scene.pass(.seconds(10))
        guard case .refused(let lost)? = scene.takeReplies().last else { throw Unexpected(answer: "no refusal") }
        #expect(lost.message.contains("No worker has the file"))
    }

    private static let silence = (suspectAfter: Duration.seconds(10), lostAfter: Duration.seconds(45))

    @Test(
        "FI10 What a silent worker was asked for is asked of another one as soon as the worker is suspect",
        arguments: [true, false]
    )
    func suspectHolder(isOfClient: Bool) throws {
        let scene = try TransferScene(silence: Self.silence)
        scene.connectAll()
        if isOfClient {
            scene.ask(.filePiece(.operation(scene.producer), path: "out/a.bin", offset: 300, limit: 300))
        } else {
            scene.fetch(7, offset: 300, limit: 300)
        }
        let asked = try #require(scene.takeAsked().first)
        let alive = (0..<3).filter { $0 != asked.worker }
        let other = try #require(scene.holders.first { $0 != asked.worker })
        scene.pass(.seconds(8), alive: alive)
        #expect(scene.takeAsked().isEmpty)
        scene.pass(.seconds(20), alive: alive)
        let again = scene.takeAsked()
        #expect(again.map(\.worker) == [other] && again.map(\.offset) == [300])
        // Neither is it asked for anything else, although it was asked for the file before.
        if !isOfClient {
            scene.fetch(8, offset: 600, limit: 300)
            #expect(scene.takeAsked().map(\.worker) == [other])
        }
        // The late answer is for nobody, and the other one is right.
        scene.give(scene.piece(asked), as: asked.worker)
        #expect(scene.takeReplies().allSatisfy { if case .filePiece = $0 { false } else { true } })
        #expect(scene.takeAnswers().isEmpty)
        let piece = scene.piece(try #require(again.first))
        scene.give(piece, as: other)
        if isOfClient {
            #expect(scene.takeReplies() == [.filePiece(try #require(piece.piece))])
        } else {
            #expect(scene.takeAnswers() == [.passed(piece)])
        }
    }

    @Test(
        "FI10 A client waits for the only worker with a file while that is silent, and no longer than until it is lost",
        arguments: [true, false],
        [true, false]
    )
    func onlySilentHolder(hasConnection: Bool, isBack: Bool) throws {
        let scene = try TransferScene(silence: Self.silence)
        scene.connectAll()
        let holder = scene.holders[0]
        let others = (0..<3).filter { $0 != holder }
        for worker in others {
            scene.say(.filesDropped(TransferScene.session(worker), [scene.file.digest]), as: worker)
        }
        _ = scene.takeReplies()
        if !hasConnection { scene.coordinator.core.connectionEnded(TransferScene.files(holder)) }
        scene.ask(.filePiece(.operation(scene.producer), path: "out/a.bin", offset: 0, limit: 300))
        scene.pass(.seconds(43), alive: others)
        #expect(scene.takeReplies().isEmpty)
        if isBack {
            scene.pass(.seconds(1), alive: [0, 1, 2])
            if !hasConnection { scene.connect(holder, 1) }
            let asked = try #require(scene.takeAsked(over: hasConnection ? 0 : 1).first)
            let piece = scene.piece(asked)
            scene.give(piece, as: holder, over: TransferScene.files(holder, hasConnection ? 0 : 1))
            #expect(scene.takeReplies() == [.filePiece(try #require(piece.piece))])
        } else {
            scene.pass(.seconds(10), alive: others)
            guard case .refused(let lost)? = scene.takeReplies().last else { throw Unexpected(answer: "no refusal") }
            #expect(lost.message.contains("No worker has the file"))
        }
    }

    @Test("FI8 A worker whose copy came damaged is asked to look at it, and no other one")
    func damaged() throws {
        let scene = try TransferScene()
        scene.connectAll()
        scene.fetch(1, limit: 300)
        let asked = try #require(scene.takeAsked().first)
        scene.give(scene.piece(asked), as: asked.worker)
        for worker in 0..<3 { _ = scene.take(TransferScene.peer(worker)) }
        scene.say(.filesMissing(TransferScene.session(scene.asker), scene.token, [scene.file.digest]), as: scene.asker)
        let question = TransferScene.Message.said(.verifyFiles([scene.file.digest]))
        for worker in 0..<3 {
            #expect(scene.take(TransferScene.peer(worker)).contains(question) == (worker == asked.worker))
        }
        let holder = TransferScene.session(asked.worker)
        #expect(!scene.coordinator.core.scheduler.holders(of: scene.file.digest).contains(holder))
        scene.say(.filesHeld(holder, [scene.file.digest], isFirst: false), as: asked.worker)
        #expect(scene.coordinator.core.scheduler.holders(of: scene.file.digest).contains(holder))
    }

    @Test(
        "FI8 FI11 A worker copies what it is told to, and nothing else in that name; its damaged copies are looked at"
    )
    func copies() throws {
        let scene = try TransferScene(copies: 3)
        scene.connectAll()
        // The asker has dropped its copy: it is asked for another one.
        #expect(scene.copiesTold.map(\.digest) == [scene.file.digest])
        func ask(_ number: UInt64, _ token: AttemptToken, as worker: Int) {
            scene.say(
                .fetchPiece(
                    TransferScene.session(worker),
                    number: number,
                    token,
                    scene.file.digest,
                    offset: 0,
                    limit: 100
                ),
                as: worker,
                over: TransferScene.files(worker)
            )
        }
        ask(1, .copy(1), as: scene.asker)
        let asked = try #require(scene.takeAsked().first)
        scene.give(scene.piece(asked), as: asked.worker)
        #expect(scene.takeAnswers().count == 1)
        // Another worker was not told to copy it.
        let holder = scene.holders[0]
        ask(2, .copy(1), as: holder)
        #expect(scene.take(TransferScene.files(holder)).contains(.said(.pieceUnavailable(echo: 2, isLost: false))))
        for worker in 0..<3 { _ = scene.take(TransferScene.peer(worker)) }
        scene.say(
            .filesNotCopied(TransferScene.session(scene.asker), [scene.file.digest], hasRoom: true),
            as: scene.asker
        )
        let question = TransferScene.Message.said(.verifyFiles([scene.file.digest]))
        for worker in 0..<3 {
            #expect(scene.take(TransferScene.peer(worker)).contains(question) == (worker == asked.worker))
        }
        ask(3, .copy(1), as: scene.asker)
        #expect(scene.takeAnswers() == [.said(.pieceUnavailable(echo: 3, isLost: false))])
    }

    @Test("A worker without room for a copy casts no doubt on those that have given pieces of it")
    func noRoomForCopies() throws {
        let scene = try TransferScene(copies: 3)
        scene.connectAll()
        scene.say(
            .fetchPiece(
                TransferScene.session(scene.asker),
                number: 1,
                .copy(1),
                scene.file.digest,
                offset: 0,
                limit: 100
            ),
            as: scene.asker,
            over: TransferScene.files(scene.asker)
        )
        let asked = try #require(scene.takeAsked().first)
        scene.give(scene.piece(asked), as: asked.worker)
        scene.say(
            .filesNotCopied(TransferScene.session(scene.asker), [scene.file.digest], hasRoom: false),
            as: scene.asker
        )
        let question = TransferScene.Message.said(.verifyFiles([scene.file.digest]))
        for worker in 0..<3 { #expect(!scene.take(TransferScene.peer(worker)).contains(question)) }
        // Room is made, and it is asked for again.
        let other = try #require(ContentDigest(bytes: [UInt8](repeating: 5, count: ContentDigest.length)))
        scene.say(.filesDropped(TransferScene.session(scene.asker), [other]), as: scene.asker)
        #expect(
            scene.take(TransferScene.peer(scene.asker)).contains { message in
                if case .said(.copyFiles(let files)) = message {
                    files.map(\.digest) == [scene.file.digest]
                } else {
                    false
                }
            }
        )
    }

    @Test("FI11 Clients and operations may ask for files, viewers and workers may not")
    func roles() {
        let request = Request.filePiece(.job(JobNumber(1)), path: "a", offset: 0, limit: 1)
        #expect(Role.client.permits(request) && Role.operation.permits(request))
        #expect(!Role.viewer.permits(request) && !Role.worker.permits(request))
    }

    @Test("FI11 An operation reads the files of its own job alone")
    func operations() throws {
        let scene = try TransferScene()
        let own = OperationID(job: scene.producer.job, index: 1)
        let core = scene.coordinator.core
        for (address, isPermitted) in [
            (Address.operation(scene.producer), true), (.named(own.job, "a"), true), (.job(JobNumber(7)), false),
            (.operation(OperationID(job: JobNumber(7), index: 0)), false),
        ] {
            let request = Request.filePiece(address, path: "a", offset: 0, limit: 1)
            #expect((core.objection(to: request, by: own, in: "default") == nil) == isPermitted)
        }
    }
}
