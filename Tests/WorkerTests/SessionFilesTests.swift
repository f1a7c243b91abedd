@_spi(Baton) import BatonOperations
import Testing
@_spi(Baton) import BatonWire

@_spi(Baton) @testable import BatonWorker

@Suite("The files of a session")
struct SessionFilesTests {
    /// A digest that no other number has.
    private func digest(_ number: Int) throws -> ContentDigest {
        let bytes = (0..<ContentDigest.length).map { UInt8(truncatingIfNeeded: number >> (8 * ($0 % 4))) }
        return try #require(ContentDigest(bytes: bytes))
    }

    private func file(_ number: Int, size: Int64 = 10) throws -> InputFile {
        InputFile(folder: "a", file: KeptFile(path: "\(number)", size: size, mode: 0o644, digest: try digest(number)))
    }

    @Test("FI4 An attempt waits for its files after its inputs, without a slot, and starts with them (FI3)")
    func waits() throws {
        var driver = SessionDriver.welcomed(slots: 1)
        driver.dispatch(1, hasInputs: true)
        driver.dispatch(2)
        let files = try [file(1), file(2), file(3)]
        #expect(driver.receive(.inputFiles(token(1), Array(files[..<2]))).isEmpty)
        driver.turn(.attemptFinished(token(2), result()))
        #expect(driver.receive(.inputs(token(1), [], isLast: false)).isEmpty)
        #expect(driver.receive(.inputFiles(token(1), [files[2]])).isEmpty)
        let effects = driver.receive(.inputs(token(1), [], isLast: true))
        #expect(effects == [.fetchFiles(token(1), files)])
        #expect(driver.dispatch(3).started == [token(3)], "the slot is free meanwhile")
        driver.turn(.filesFetched(token(1)))
        #expect(driver.turn(.filesFetched(token(1))).isEmpty)
        let started = driver.turn(.attemptFinished(token(3), result()))
        let assigned = started.compactMap { effect -> AssignedWork? in
            if case .startAttempt(let assigned) = effect { assigned } else { nil }
        }
        #expect(assigned.map(\.assignment.token) == [token(1)])
        #expect(assigned.map(\.files) == [files])
    }

    @Test(
        "Files for which there is no room end the attempt alone as not having run, and the host goes on with the others"
    )
    func noRoom() throws {
        var driver = SessionDriver.welcomed()
        driver.dispatch(1, hasInputs: true)
        let large = try file(7)
        driver.receive(.inputFiles(token(1), [large]), .inputs(token(1), [], isLast: true))
        let session = driver.session.session
        let lack = RoomLack(wanted: 10, limit: 100, taken: 95)
        let completion = Completion(
            token: token(1),
            operation: OperationID(job: JobNumber(1), index: 1),
            result: AttemptResult(end: .noRoom(lack, hasRun: false))
        )
        let effects = driver.turn(.noRoomForFiles(token(1), lack))
        #expect(effects.messages == [.report(session, AttemptReport(completions: [completion]))])
        #expect(effects.contains(.discardInputs(token(1))) && !effects.contains(.dropFetch(token(1))))
        #expect(driver.turn(.noRoomForFiles(token(1), lack), .filesFetched(token(1))).isEmpty, "it is over")
        #expect(driver.dispatch(3).started == [token(3)])
        #expect(driver.session.attemptCount == 2)
        driver.receive(.acknowledge([token(1)]))
        #expect(driver.session.attemptCount == 1)
    }

    @Test("Attempts without room take no slot from those that run, and their ends are told again until they are known")
    func noRoomWithoutSlot() throws {
        var driver = SessionDriver.welcomed(slots: 1)
        #expect(driver.dispatch(1).started == [token(1)])
        let lack = RoomLack(wanted: 10, limit: 100, taken: 95)
        for serial in UInt64(2)...4 {
            driver.dispatch(serial, hasInputs: true)
            driver.receive(
                .inputFiles(token(serial), [try file(Int(serial))]),
                .inputs(token(serial), [], isLast: true)
            )
        }
        driver.turn(.noRoomForFiles(token(3), lack), .noRoomForFiles(token(2), lack))
        #expect(driver.session.runningCount == 1 && driver.session.attemptCount == 4)
        driver.turn(.connectionLost)
        driver.connect()
        let told = driver.welcome().messages.flatMap { message -> [AttemptToken] in
            if case .report(_, let report) = message { report.completions.map(\.token) } else { [] }
        }
        #expect(Set(told) == [token(2), token(3)])
        driver.turn(.attemptFinished(token(1), result()))
        #expect(driver.session.runningCount == 0)
    }

    @Test("Files that nobody gives return the attempt, and the coordinator hears of the files first")
    func unavailable() throws {
        var driver = SessionDriver.welcomed()
        driver.dispatch(1, hasInputs: true)
        let lost = try file(7)
        driver.receive(.inputFiles(token(1), [lost]), .inputs(token(1), [], isLast: true))
        let effects = driver.turn(.filesUnavailable(token(1), [lost.file.digest]))
        let session = driver.session.session
        #expect(
            effects.messages == [
                .filesMissing(session, token(1), [lost.file.digest]),
                .report(session, AttemptReport(returned: [token(1)])),
            ]
        )
        #expect(effects.contains(.discardInputs(token(1))) && !effects.contains(.dropFetch(token(1))))
        #expect(driver.dispatch(1, hasInputs: true).isEmpty, "it never starts here")
        #expect(driver.turn(.filesFetched(token(1))).isEmpty)
        #expect(driver.session.attemptCount == 0)
    }

    @Test(
        "The fetch for an attempt that is recalled or cancelled ends, and its outcome changes nothing",
        arguments: [true, false]
    )
    func recalled(isCancelled: Bool) throws {
        var driver = SessionDriver.welcomed()
        driver.dispatch(1, hasInputs: true)
        driver.receive(.inputFiles(token(1), [try file(1)]), .inputs(token(1), [], isLast: true))
        let effects = driver.receive(isCancelled ? .cancel([token(1)]) : .recall([token(1)]))
        #expect(effects.contains(.dropFetch(token(1))) && effects.contains(.discardInputs(token(1))))
        #expect(effects.returned == [token(1)])
        #expect(driver.turn(.filesFetched(token(1)), .filesUnavailable(token(1), [try digest(1)])).isEmpty)
        // Before the last inputs, nothing is being fetched.
        driver.dispatch(2, hasInputs: true)
        driver.receive(.inputFiles(token(2), [try file(2)]))
        #expect(!driver.receive(.recall([token(2)])).contains(.dropFetch(token(2))))
    }

    @Test("A fetch goes on across sessions, and a list that was not complete begins anew")
    func reconnection() throws {
        var driver = SessionDriver.welcomed()
        driver.dispatch(1, 2, hasInputs: true)
        driver.receive(.inputFiles(token(1), [try file(1)]), .inputs(token(1), [], isLast: true))
        driver.receive(.inputFiles(token(2), [try file(2)]))
        driver.turn(.connectionLost)
        driver.connect()
        let operation = OperationID(job: JobNumber(1), index: 2)
        #expect(driver.welcome() == [.send(.fetchInputs(driver.session.session, token(2), operation))])
        let effects = driver.receive(.inputFiles(token(2), [try file(3)]), .inputs(token(2), [], isLast: true))
        #expect(effects == [.fetchFiles(token(2), [try file(3)])])
        #expect(driver.turn(.filesFetched(token(1))).started == [token(1)])
        #expect(driver.turn(.filesFetched(token(2))).started == [token(2)])
    }

    @Test("Files of attempts that are unknown, started or without inputs change nothing")
    func unknown() throws {
        var driver = SessionDriver.welcomed()
        driver.dispatch(1)
        for number in [UInt64(1), 9] { #expect(driver.receive(.inputFiles(token(number), [try file(1)])).isEmpty) }
        driver.dispatch(2, hasInputs: true)
        let effects = driver.receive(.inputFiles(token(2), []), .inputs(token(2), [], isLast: true))
        #expect(effects.started == [token(2)], "no file is nothing to wait for")
    }

    @Test("FI4 Files of any size do not keep the inputs of other attempts from being fetched")
    func window() throws {
        var driver = SessionDriver.welcomed(slots: 1)
        driver.receive(.dispatch(batch((1...40).map { token($0) }, hasInputs: true)))
        let large = try file(1, size: 64 << 30)
        let more = driver.receive(.inputFiles(token(1), [large]), .inputs(token(1), [], isLast: true))
        #expect(!more.messages.isEmpty, "what has arrived is small, so that there is room for more")
    }

    @Test("A session tells each coordinator what the worker keeps, and then what changes, in order")
    func holdings() throws {
        let digests = try (0..<25_003).map { try digest($0) }
        var driver = SessionDriver { $0.heldFiles = digests }
        driver.connect()
        let effects = driver.welcome()
        let session = driver.session.session
        var told: [ContentDigest] = []
        for (number, message) in effects.messages.enumerated() {
            guard case .filesHeld(session, let piece, let isFirst) = message else {
                Issue.record("\(message)")
                continue
            }
            #expect(piece.count <= WireLimits.maximumHeldFiles && isFirst == (number == 0))
            told += piece
        }
        #expect(effects.messages.count == 3 && told == digests.sorted())
        #expect(effects.contains(.retainFiles(digests.sorted())))
        let (old, new) = (digests[5], try digest(1 << 20))
        let changes = driver.turn(.filesChanged(held: [new], dropped: [old]), .filesChanged(held: [], dropped: [new]))
        #expect(changes.messages == [.filesDropped(session, [old, new].sorted())])
        #expect(
            driver.turn(.filesChanged(held: [old], dropped: [])).messages == [
                .filesHeld(session, [old], isFirst: false)
            ]
        )
        #expect(driver.turn(.filesChanged(held: [old], dropped: [new])).isEmpty, "nothing new")
        driver.turn(.connectionLost)
        #expect(driver.turn(.filesChanged(held: [], dropped: digests)).isEmpty)
        driver.connect()
        let again = driver.receive(.welcome(driver.plainWelcome))
        #expect(again.messages == [.filesHeld(driver.session.session, [], isFirst: true)])
    }

    @Test("The first list ends with a piece that is not full", arguments: [0, 1, 9999, 10_000, 10_001, 20_000])
    func firstList(count: Int) throws {
        let digests = try (0..<count).map { try digest($0) }
        var driver = SessionDriver { $0.heldFiles = digests }
        driver.connect()
        let effects = driver.welcome()
        let lengths = effects.messages.compactMap { message -> Int? in
            if case .filesHeld(_, let piece, isFirst: _) = message { piece.count } else { nil }
        }
        let full = [Int](repeating: WireLimits.maximumHeldFiles, count: count / WireLimits.maximumHeldFiles)
        // The driver leaves out a list that is empty as a whole.
        #expect(lengths == (count == 0 ? [] : full + [count % WireLimits.maximumHeldFiles]))
    }

    @Test("A coordinator of version 1 hears nothing of files")
    func olderCoordinator() throws {
        let held = try digest(1)
        var driver = SessionDriver { $0.heldFiles = [held] }
        driver.connect()
        #expect(driver.welcome(speaking: 1).isEmpty)
        #expect(driver.turn(.filesChanged(held: [try digest(2)], dropped: [held])).isEmpty)
    }

    @Test("What the worker keeps is told after the end of the attempt that left it")
    func afterReport() throws {
        var driver = SessionDriver.welcomed(slots: 1)
        driver.dispatch(1, 2, 3, 4)
        driver.turn(.attemptFinished(token(1), result()))
        // The report is gathered, as attempts wait.
        var ended = result()
        ended.files = [try file(1).file]
        let early = driver.turn(
            .filesChanged(held: [try digest(1)], dropped: []),
            .attemptFinished(token(2), ended),
            after: WorkerSession.gatheringTime / 4
        )
        #expect(early.messages.isEmpty)
        let messages = driver.passTime().messages
        guard case .report(_, let report)? = messages.first else {
            Issue.record("\(messages)")
            return
        }
        #expect(report.completions.last?.result.files == ended.files)
        #expect(messages.last == .filesHeld(driver.session.session, [try digest(1)], isFirst: false))
    }

    @Test(
        "FI8 A lost file is told at once, before the end of an attempt that lacks it, and again behind the end of one that may have left it",
        arguments: [(true, false), (true, true), (false, false), (false, true)]
    )
    func losses(isDamaged: Bool, isEndUnsent: Bool) throws {
        var driver = SessionDriver.welcomed(slots: 1)
        let (lost, unknown) = (try digest(1), try digest(2))
        let session = driver.session.session
        driver.turn(.filesChanged(held: [lost], dropped: []))
        driver.dispatch(1, 2, 3, 4)
        driver.turn(.attemptFinished(token(1), result()))
        if isEndUnsent {
            let early = driver.turn(.attemptFinished(token(2), result()), after: WorkerSession.gatheringTime / 4)
            #expect(early.messages.isEmpty)
        }
        let effects = driver.turn(
            .fileLost(lost, isDamaged: isDamaged),
            .filesChanged(held: [], dropped: [lost]),
            .fileLost(unknown, isDamaged: isDamaged)
        )
        #expect(effects.messages.first == .filesDropped(session, [lost], areDamaged: isDamaged))
        let rest = Array(effects.messages.dropFirst()) + (isEndUnsent ? driver.passTime().messages : [])
        let repeated = rest.filter { if case .filesDropped = $0 { true } else { false } }
        #expect(repeated == (isEndUnsent ? [.filesDropped(session, [lost])] : []))
        guard isEndUnsent else { return }
        #expect(rest.last == repeated.last, "it is behind the report")
    }

    @Test("What may be removed, and what no longer, is passed on in a session")
    func releases() throws {
        var driver = SessionDriver.welcomed()
        let digests = try [digest(1), digest(2)]
        #expect(driver.receive(.releaseFiles(digests)) == [.releaseFiles(digests)])
        #expect(driver.receive(.retainFiles([digests[0]])) == [.retainFiles([digests[0]])])
        driver.turn(.connectionLost)
        #expect(driver.receive(.releaseFiles(digests)).isEmpty)
    }

    @Test("A worker tells how much is there of the files that attempts wait for, each content once")
    func progress() throws {
        let held = try file(1, size: 1000)
        let (large, small) = try (file(2, size: 5000), file(3, size: 7))
        var copy = large
        copy.file.path = "copy"
        var driver = SessionDriver.welcomed(slots: 4)
        driver.turn(.filesChanged(held: [held.file.digest], dropped: []))
        driver.dispatch(1, hasInputs: true)
        driver.dispatch(2, hasInputs: true)
        driver.receive(.inputFiles(token(1), [held, large, copy]), .inputs(token(1), [], isLast: true))
        driver.receive(.inputFiles(token(2), [small, large]), .inputs(token(2), [], isLast: true))
        let session = driver.session.session
        func told(_ bytes: [ContentDigest: UInt64]) -> [[AttemptFetch]] {
            driver.turn(.filesArriving(bytes)).messages.compactMap { message -> [AttemptFetch]? in
                if case .fetchProgress(session, let fetches) = message { fetches } else { nil }
            }
        }
        let unwanted = try digest(99)
        #expect(told([:]).isEmpty && told([unwanted: 5]).isEmpty, "nobody waits for it")
        #expect(told([small.file.digest: 3]) == [[AttemptFetch(token(2), present: 3)]])
        #expect(
            told([large.file.digest: 4000])
                == [[AttemptFetch(token(1), present: 5000), AttemptFetch(token(2), present: 4000)]]
        )
        driver.turn(.filesChanged(held: [small.file.digest], dropped: []))
        #expect(
            told([large.file.digest: .max])
                == [[AttemptFetch(token(1), present: 6000), AttemptFetch(token(2), present: 5007)]]
        )
        driver.turn(.filesUnavailable(token(1), [large.file.digest]))
        #expect(told([large.file.digest: 9]) == [[AttemptFetch(token(2), present: 16)]])
        driver.turn(.connectionLost)
        #expect(told([large.file.digest: 10]).isEmpty)
    }

    @Test("FI8 A worker looks at files that are in doubt, and tells again which of them it keeps")
    func doubts() throws {
        let digests = try (1...3).map { try digest($0) }
        var driver = SessionDriver { $0.heldFiles = digests }
        driver.connect()
        driver.welcome()
        #expect(driver.receive(.verifyFiles(digests)) == [.verifyFiles(digests)])
        let session = driver.session.session
        #expect(
            driver.turn(.filesVerified([digests[0]])).messages == [.filesHeld(session, [digests[0]], isFirst: false)]
        )
        #expect(
            driver.turn(.filesChanged(held: [], dropped: [digests[1]])).messages == [
                .filesDropped(session, [digests[1]])
            ]
        )
        // A file may have gone since it was looked at.
        let last = driver.turn(.filesChanged(held: [], dropped: [digests[2]]), .filesVerified([digests[2]]))
        #expect(last.messages == [.filesDropped(session, [digests[2]])])
        driver.turn(.connectionLost)
        #expect(driver.turn(.filesVerified([digests[0]])).isEmpty)
        #expect(driver.receive(.verifyFiles(digests)).isEmpty)
    }

    @Test(
        "What is to be copied is passed on in a session, and what is not copied is told in the session that asked for it"
    )
    func copies() throws {
        var driver = SessionDriver.welcomed()
        let files = try [file(1).file, file(2).file]
        #expect(driver.receive(.copyFiles(files)) == [.copyFiles(files)])
        let session = driver.session.session
        for hasRoom in [true, false] {
            #expect(
                driver.turn(.filesNotCopied(session, [files[0].digest], hasRoom: hasRoom)).messages == [
                    .filesNotCopied(session, [files[0].digest], hasRoom: hasRoom)
                ]
            )
        }
        let other = SessionID(rawValue: session.rawValue &+ 1)
        #expect(driver.turn(.filesNotCopied(other, [files[0].digest], hasRoom: true)).isEmpty)
        driver.turn(.connectionLost)
        #expect(driver.receive(.copyFiles(files)).isEmpty)
        #expect(driver.turn(.filesNotCopied(session, [files[0].digest], hasRoom: true)).isEmpty)
    }

    @Test(
        "FI3 In any order of events, an attempt starts once with all of its files, or is returned once",
        arguments: UInt64(0)..<60
    )
    func random(seed: UInt64) throws {
        var numbers = SplitMix(seed: seed)
        var driver = SessionDriver(seed: seed, slots: UInt32.random(in: 1...3, using: &numbers))
        var needed: [AttemptToken: [InputFile]] = [:]
        var fetching: Set<AttemptToken> = []
        var fetched: Set<AttemptToken> = []
        var gone: Set<AttemptToken> = []
        var started: Set<AttemptToken> = []
        var running: Set<AttemptToken> = []
        var asked: Set<AttemptToken> = []
        func look(_ effects: [WorkerSession.Effect]) {
            for effect in effects {
                switch effect {
                case .fetchFiles(let token, let files):
                    #expect(
                        fetching.insert(token).inserted && files == needed[token],
                        "\(token) is fetched once, with all files"
                    )
                case .dropFetch(let token):
                    #expect(fetching.contains(token) && !fetched.contains(token))
                    gone.insert(token)
                case .startAttempt(let assigned):
                    let token = assigned.assignment.token
                    #expect(assigned.files == needed[token] && !gone.contains(token))
                    #expect(assigned.files.isEmpty || fetched.contains(token))
                    #expect(started.insert(token).inserted)
                    running.insert(token)
                case .send(.fetchInputs(_, let token, _)): asked.insert(token)
                case .send(.report(_, let report)):
                    for token in report.returned {
                        #expect(!started.contains(token), "\(token) is returned after its start")
                        gone.insert(token)
                    }
                default: break
                }
            }
        }
        look(driver.connect())
        look(driver.welcome())
        for serial in UInt64(1)...25 {
            let files = try (0..<Int.random(in: 0...3, using: &numbers)).map { try file(Int(serial) * 10 + $0) }
            needed[token(serial)] = files
        }
        let tokens = needed.keys.sorted()
        look(driver.receive(.dispatch(batch(tokens, hasInputs: true))))
        for _ in 0..<400 {
            guard let token = tokens.randomElement(using: &numbers) else { continue }
            switch Int.random(in: 0..<10, using: &numbers) {
            case 0..<4 where driver.session.isWelcomed && asked.contains(token):
                asked.remove(token)
                for file in needed[token] ?? [] { look(driver.receive(.inputFiles(token, [file]))) }
                look(driver.receive(.inputs(token, [], isLast: true)))
            case 4, 5:
                if fetching.contains(token), !gone.contains(token) { fetched.insert(token) }
                look(driver.turn(.filesFetched(token)))
            case 6 where fetching.contains(token) && !fetched.contains(token):
                look(driver.turn(.filesUnavailable(token, [try digest(1)])))
                #expect(gone.contains(token))
            case 7 where !started.contains(token): look(driver.receive(.recall([token])))
            case 8 where !running.isEmpty:
                if let ended = running.min() {
                    running.remove(ended)
                    look(driver.turn(.attemptFinished(ended, result())))
                }
            case 9:
                asked = []
                look(driver.turn(.connectionLost))
                look(driver.connect())
                look(driver.welcome())
            default: break
            }
        }
    }
}
