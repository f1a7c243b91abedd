@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonThreads
@_spi(Baton) import BatonWire
import Testing

@_spi(Baton) @testable import BatonWorker

@Suite("Copies of files that a worker makes for no attempt", .timeLimit(.minutes(60)))
struct FileCopyTests {
    private static func token(_ serial: UInt64) -> AttemptToken { AttemptToken(epoch: 1, serial: serial) }

    // MARK: - The order

    @Test("Copies come behind all that attempts wait for, however early they were asked for")
    func order() {
        var scene = FetchScene(limits: .init(bytes: 10, requests: 1, piece: 10))
        let files = (1...6 as ClosedRange<UInt8>).map { scene.makeFile($0, size: 10) }
        scene.fetch([files[0]], of: .copy(1))
        scene.fetch([files[1]], of: .copy(2))
        scene.fetch([files[2]], of: Self.token(1))
        scene.fetch([files[3], files[4]], of: Self.token(2))
        scene.fetch([files[5]], of: .copy(3))
        var order: [ContentDigest] = []
        while let asked = scene.asked.first {
            order.append(asked.digest)
            scene.answer()
        }
        // The first one had begun before anything else was there.
        #expect(order == [0, 2, 3, 4, 1, 5].map { files[$0].digest })
        #expect(
            scene.outcomes == [
                .report(.copy(1)), .report(Self.token(1)), .report(Self.token(2)), .report(.copy(2)), .report(.copy(3)),
            ]
        )
        #expect(scene.fetches.isEmpty && scene.files.isEmpty)
    }

    @Test("A copy that an attempt comes to wait for goes ahead, in the attempt's name, and back to its own without it")
    func joined() {
        var scene = FetchScene(limits: .init(bytes: 10, requests: 1, piece: 10))
        let (first, second) = (scene.makeFile(1, size: 10), scene.makeFile(2, size: 10))
        let third = scene.makeFile(3, size: 30)
        scene.fetch([first], of: .copy(1))
        scene.fetch([second], of: .copy(2))
        scene.fetch([third], of: .copy(3))
        scene.fetch([third], of: Self.token(1))
        scene.answer()
        #expect(scene.asked.first?.digest == third.digest && scene.asked.first?.token == Self.token(1))
        scene.drop(Self.token(1))
        scene.answer()
        #expect(scene.asked.first?.digest == third.digest && scene.asked.first?.token == .copy(3))
        scene.answerAll()
        #expect(scene.held == [first.digest, second.digest, third.digest])
        #expect(scene.outcomes == [.report(.copy(1)), .report(.copy(3)), .report(.copy(2))])
    }

    @Test("Copies leave most of the open files to attempts")
    func bound() {
        var scene = FetchScene(limits: .init(bytes: 1 << 20, requests: 64, piece: 10, transfers: 8, copies: 3))
        let files = (1...20 as ClosedRange<UInt8>).map { scene.makeFile($0, size: 10) }
        for (number, file) in files.enumerated() { scene.fetch([file], of: .copy(UInt64(number))) }
        #expect(scene.asked.count == 3)
        let more = (21...28 as ClosedRange<UInt8>).map { scene.makeFile($0, size: 10) }
        scene.fetch(more, of: Self.token(1))
        #expect(Set(scene.asked.dropFirst(3).map(\.digest)) == Set(more.prefix(5).map(\.digest)))
        scene.answerAll()
        #expect(scene.held.count == 28 && scene.fetches.isEmpty)
    }

    @Test(
        "In any order of events, attempts and copies end once each, and the order keeps them apart",
        arguments: UInt64(0)..<60
    )
    func random(seed: UInt64) {
        var random = SplitMix(seed: seed)
        var scene = FetchScene(limits: .init(bytes: 60, requests: 5, piece: 10, transfers: 6, copies: 2))
        let files = (1...30 as ClosedRange<UInt8>).map { scene.makeFile($0, size: Int($0) % 5 * 9) }
        var waiting: Set<AttemptToken> = []
        var dropped: Set<AttemptToken> = []
        for number in 1...60 as ClosedRange<UInt64> {
            switch random.next() % 6 {
            case 0, 1:
                let first = Int(random.next() % 25)
                waiting.insert(Self.token(number))
                scene.fetch(Array(files[first...first + Int(random.next() % 5)]), of: Self.token(number))
            case 2, 3:
                waiting.insert(.copy(number))
                scene.fetch([files[Int(random.next() % 30)]], of: .copy(number))
            case 4:
                guard let token = waiting.subtracting(dropped).sorted().first else { continue }
                dropped.insert(token)
                scene.drop(token)
            default:
                guard !scene.asked.isEmpty else { continue }
                let place = Int(random.next() % UInt64(scene.asked.count))
                if random.next() % 5 == 0 { scene.refuse(place, isLost: true) } else { scene.answer(place) }
            }
        }
        scene.answerAll()
        #expect(scene.fetches.isEmpty && scene.fetches.openCount == 0 && scene.files.isEmpty)
        var ended: [AttemptToken] = []
        for outcome in scene.outcomes {
            switch outcome {
            case .report(let token), .giveUp(let token, _), .fail(let token, _): ended.append(token)
            default: Issue.record("\(outcome) is no outcome")
            }
        }
        #expect(Set(ended).count == ended.count)
        #expect(Set(ended).isSuperset(of: waiting.subtracting(dropped)))
    }

    // MARK: - The store

    @Test("FI9 What is said of a copy before it has come counts once it is there", arguments: 0..<4)
    func releases(order: Int) async throws {
        try await withTemporaryDirectory { directory in
            let bench = try StoreBench(directory + "/files", limit: 30)
            let content = KeptContent("0123456789")
            let digest = try content.digest()
            // Released; released and needed again; released and to be copied again; never.
            bench.store.expectCopies(of: [digest])
            if order < 3 { bench.store.release([digest]) }
            #expect(bench.store.expectedCopies(among: [digest]) == [digest])
            if order == 1 { bench.store.retain([digest]) }
            if order == 2 { bench.store.expectCopies(of: [digest]) }
            bench.store.endCopies(of: [digest], onlyReleased: true)
            #expect(bench.store.expectedCopies(among: [digest]).isEmpty == (order == 0))
            if order == 0 {
                // It had come before the thread heard of the end.
                bench.store.expectCopies(of: [digest])
                bench.store.release([digest])
            }
            try content.put(in: bench.store)
            #expect(bench.store.expectedCopies(among: [digest]).isEmpty)
            if order == 0 {
                try KeptContent(6, length: 30).put(in: bench.store)
                #expect(!bench.store.holds(digest))
            } else {
                #expect(throws: FileFailure.self) { try KeptContent(6, length: 30).put(in: bench.store) }
                #expect(bench.store.holds(digest))
            }
            try bench.check()
        }
    }

    @Test("FI9 A released content of which a copy is asked for is kept", arguments: [false, true])
    func releasedBefore(isAsked: Bool) async throws {
        try await withTemporaryDirectory { directory in
            let bench = try StoreBench(directory + "/files", limit: 30)
            let content = KeptContent("0123456789")
            let digest = try content.digest()
            try content.put(in: bench.store)
            bench.store.release([digest])
            if isAsked {
                // The thread for files finds it here.
                bench.store.expectCopies(of: [digest])
                bench.store.endCopies(of: [digest])
                #expect(throws: FileFailure.self) { try KeptContent(6, length: 30).put(in: bench.store) }
            } else {
                try KeptContent(6, length: 30).put(in: bench.store)
            }
            #expect(bench.store.holds(digest) == isAsked)
            try bench.check()
        }
    }

    @Test("A copy never takes the place of what is needed")
    func noEviction() async throws {
        try await withTemporaryDirectory { directory in
            let bench = try StoreBench(directory + "/files", limit: 30)
            let (needed, copied) = (KeptContent(1, length: 25), KeptContent(2, length: 10))
            try needed.put(in: bench.store)
            bench.store.expectCopies(of: [try copied.digest()])
            #expect(throws: FileFailure.self) { try bench.store.receive(copied.file()) }
            #expect(try bench.store.holds(needed.digest()))
        }
    }

    // MARK: - The thread

    @Test("Copies arrive beside the files of attempts; what nobody gives, and what there is no room for, is reported")
    func thread() async throws {
        try await withTemporaryDirectory { directory in
            let pair = try FilePair(directory, receiverLimit: 600_000)
            defer { pair.close() }
            let (relay, holder, receiver) = (pair.relay, pair.holder, pair.receiver)
            let contents = [1, 2, 3].map { KeptContent($0, length: 100_000) }
            for content in contents { try content.put(in: holder.bench.store) }
            let (missing, huge) = (KeptContent(8, length: 10), KeptContent(9, length: 700_000))
            try huge.put(in: holder.bench.store)
            try pair.connect()
            receiver.thread.copy(try contents.map { try $0.file() })
            receiver.thread.fetch([InputFile(folder: "in", file: try contents[2].file())], of: Self.token(1))
            try relay.run(asking: holder.session, mailbox: receiver.mailbox) {
                _ = receiver.outcomes()
                return contents.allSatisfy { content in (try? receiver.bench.store.holds(content.digest())) ?? false }
            }
            try relay.run(asking: holder.session, mailbox: receiver.mailbox) { receiver.outcomes() == 1 }
            #expect(receiver.fetched == [Self.token(1)] && receiver.notCopied.isEmpty)
            // What is here is not copied.
            let requests = relay.requests
            receiver.thread.copy([try contents[0].file()])
            receiver.thread.copy([try missing.file()])
            try relay.run(asking: nil, mailbox: receiver.mailbox) {
                _ = receiver.outcomes()
                return !receiver.notCopied.isEmpty
            }
            #expect(relay.requests == requests + 1)
            #expect(try receiver.notCopied == [FileBench.NotCopied(digest: missing.digest(), hasRoom: true)])
            receiver.thread.copy([try huge.file()])
            try relay.run(asking: holder.session, mailbox: receiver.mailbox) {
                _ = receiver.outcomes()
                return receiver.notCopied.count == 2
            }
            #expect(try receiver.notCopied.last == FileBench.NotCopied(digest: huge.digest(), hasRoom: false))
            try receiver.bench.check()
        }
    }

    @Test("A copy ends with its release and with its session, and nothing is reported", arguments: [true, false])
    func ends(byRelease: Bool) async throws {
        try await withTemporaryDirectory { directory in
            let pair = try FilePair(directory)
            defer { pair.close() }
            let (relay, holder, receiver) = (pair.relay, pair.holder, pair.receiver)
            let (content, other) = (KeptContent(1, length: 50_000), KeptContent(2, length: 10))
            for content in [content, other] { try content.put(in: holder.bench.store) }
            // The pieces of the first one are lost.
            relay.change = { passed in passed.piece?.size == 10 ? passed : nil }
            try pair.connect()
            receiver.thread.copy([try content.file()])
            try relay.run(asking: holder.session, mailbox: receiver.mailbox) { relay.pieces > 0 }
            if byRelease {
                receiver.bench.store.release([try content.digest()])
                receiver.thread.released([try content.digest()])
            } else {
                receiver.thread.welcomed(SessionID(rawValue: 99), at: receiver.endpoint)
            }
            // What was under way has ended before the next file, and its draft is gone.
            receiver.thread.copy([try other.file()])
            try relay.run(asking: holder.session, mailbox: receiver.mailbox) {
                _ = receiver.outcomes()
                return (try? receiver.bench.told.contains(other.digest())) ?? false
            }
            #expect(receiver.notCopied.isEmpty)
            #expect(try receiver.bench.store.expectedCopies(among: [content.digest(), other.digest()]).isEmpty)
            try receiver.bench.check()
        }
    }
}
