import BatonMemoryDisk
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonScheduler
@_spi(Baton) import BatonStore
@_spi(Baton) import BatonTestValues
import Synchronization
import Testing
@_spi(Baton) import BatonWire
@_spi(Baton) import BatonZeroMQ

@_spi(Baton) @testable import BatonCoordinator

/// Clients send files before the submission with these files.
@Suite("Files of submitters", .timeLimit(.minutes(60)))
struct SentFileTests {
    /// A store that takes what it is told to take, and answers at once or later.
    private final class Files: SentFileStore {
        struct State {
            var kept: Set<ContentDigest> = []
            var pieces: [SentPiece] = []
            var refusal: Refusal?
            /// Whether there is no room for what is refused.
            var lacksRoom = false
            var holdsAnswers = false
            var held: [@Sendable () -> Void] = []
        }

        let state = Mutex(State())

        func missing(_ digests: [ContentDigest]) -> [ContentDigest] {
            state.withLock { state in digests.filter { !state.kept.contains($0) } }
        }

        func write(_ piece: SentPiece, completion: @escaping @Sendable (Result<Bool, SentPieceFailure>) -> Void) {
            let answer = state.withLock { state -> (@Sendable () -> Void)? in
                state.pieces.append(piece)
                if piece.isLast { state.kept.insert(piece.digest) }
                let lacksRoom = state.lacksRoom
                let result: Result<Bool, SentPieceFailure> =
                    state.refusal.map { .failure(SentPieceFailure($0, lacksRoom: lacksRoom)) } ?? .success(piece.isLast)
                guard state.holdsAnswers else { return { completion(result) } }
                state.held.append { completion(result) }
                return nil
            }
            answer?()
        }

        func answerAll() {
            let held = state.withLock { state in
                defer { state.held = [] }
                return state.held
            }
            for answer in held { answer() }
        }
    }

    /// What the worker was told.
    private final class Seen {
        var dispatched: [Assignment] = []
    }

    private static let client = RoutingID(inProcess: 1)
    private static let worker = RoutingID(inProcess: 10)
    private static let session = SessionID(rawValue: 7)

    private let files = Files()
    private let seen = Seen()

    private func coordinator(hasStore: Bool = true, jobFilesLimit: Int64? = nil) throws -> SteppedCoordinator {
        try SteppedCoordinator(
            try SQLStore(on: MemoryDisk()),
            at: Timestamp(rawValue: 1_700_000_000_000_000),
            configuration: Configuration(jobFilesLimit: jobFilesLimit),
            sentFiles: hasStore ? files : nil
        )
    }

    private func ask(_ coordinator: SteppedCoordinator, _ requests: Request...) throws -> [Reply] {
        for (number, request) in requests.enumerated() {
            coordinator.ask(request, UInt64(number + 1), from: Self.client)
        }
        coordinator.settle(flushes: true)
        return try replies(coordinator)
    }

    private func replies(_ coordinator: SteppedCoordinator) throws -> [Reply] {
        try coordinator.takeMessages().compactMap { bytes, peer in
            guard peer == Self.client else {
                let message = try bytes.withUnsafeBytes { try CoordinatorMessage(decoding: $0) }
                if case .dispatch(let batch) = message { seen.dispatched += batch.items.map(\.assignment) }
                return nil
            }
            let message = try bytes.withUnsafeBytes { try ClientReply(decoding: $0) }
            return if case .reply(_, let reply) = message { reply } else { nil }
        }
    }

    private func piece(_ number: UInt64, offset: UInt64 = 0, isLast: Bool = true) -> SentPiece {
        let size = offset + (isLast ? 3 : 9)
        return SentPiece(
            digest: SampleDigests.digest(number),
            size: size,
            mode: 0o644,
            offset: offset,
            bytes: [1, 2, 3],
            isLast: isLast
        )
    }

    private func submission(_ numbers: [UInt64], key: String? = nil) throws -> Submission {
        var submission = Submission(
            key: key,
            templates: [Template(work: Work(.commands([["use"]])))],
            entries: [Entry(name: "use")]
        )
        try submission.send(["."])
        submission.sent?.files = numbers.map { SampleDigests.file("f\($0)", $0) }
        return submission
    }

    /// A worker that has contents.
    private func join(_ coordinator: SteppedCoordinator, holding numbers: [UInt64]) {
        coordinator.join("w1", Self.session, from: Self.worker)
        let digests = numbers.map { SampleDigests.digest($0) }
        coordinator.receive(WorkerMessage.filesHeld(Self.session, digests, isFirst: true).encoded(), from: Self.worker)
        coordinator.settle(flushes: true)
    }

    @Test("What is missing is told, pieces are taken, and a file that is there is not missing any more")
    func sending() throws {
        let coordinator = try coordinator()
        let digests = [3, 1, 2].map { SampleDigests.digest($0) }
        #expect(try ask(coordinator, .missingFiles(digests, bytes: 9)) == [.digests(digests)])
        let answers = try ask(
            coordinator,
            .sentPiece(piece(1, isLast: false)),
            .sentPiece(piece(1, offset: 3)),
            .sentPiece(piece(3))
        )
        #expect(answers == [.received(isWhole: false), .received(isWhole: true), .received(isWhole: true)])
        #expect(files.state.withLock { $0.pieces } == [piece(1, isLast: false), piece(1, offset: 3), piece(3)])
        #expect(try ask(coordinator, .missingFiles(digests, bytes: 9)) == [.digests([digests[2]])])
        #expect(try ask(coordinator, .missingFiles([], bytes: 9)) == [.digests([])])
    }

    @Test("A piece is answered once it is written, and delays nothing else")
    func slowDisk() throws {
        let coordinator = try coordinator()
        files.state.withLock { $0.holdsAnswers = true }
        let first = try ask(coordinator, .sentPiece(piece(1)), .missingFiles([SampleDigests.digest(2)], bytes: 9))
        #expect(first == [.digests([SampleDigests.digest(2)])])
        files.answerAll()
        coordinator.settle(flushes: true)
        #expect(try replies(coordinator) == [.received(isWhole: true)])
        let refusal = Refusal(.storage, "There is no room.")
        files.state.withLock { $0.refusal = refusal }
        #expect(try ask(coordinator, .sentPiece(piece(2))).isEmpty)
        files.answerAll()
        coordinator.settle(flushes: true)
        #expect(try replies(coordinator) == [.refused(refusal)])
    }

    @Test("A client may have more pieces on their way than it has, whatever the disk does")
    func window() throws {
        let coordinator = try coordinator()
        files.state.withLock { $0.holdsAnswers = true }
        let bytes = [UInt8](repeating: 7, count: SentPiece.maximumLength)
        let size = UInt64(64 * bytes.count)
        for number in 0..<64 as Range<UInt64> {
            let piece = SentPiece(
                digest: SampleDigests.digest(1),
                size: size,
                mode: 0,
                offset: number * UInt64(bytes.count),
                bytes: bytes,
                isLast: number == 63
            )
            coordinator.ask(.sentPiece(piece), number + 1, from: Self.client)
        }
        coordinator.settle(flushes: true)
        #expect(try replies(coordinator).isEmpty && files.state.withLock { $0.pieces.count } == 64)
        files.answerAll()
        coordinator.settle(flushes: true)
        #expect(try replies(coordinator).count == 64)
    }

    @Test("Where there is no place for files of submitters, all that is about them is refused")
    func noStore() throws {
        let coordinator = try coordinator(hasStore: false)
        let submission = try submission([1])
        let requests: [Request] = [.missingFiles([], bytes: 9), .sentPiece(piece(1)), .submit(submission)]
        for request in requests {
            guard case .refused(let refusal)? = try ask(coordinator, request).last else {
                throw Unexpected(answer: "\(request)")
            }
            #expect(refusal.message.contains("keeps no files of submitters"))
        }
    }

    @Test(
        "A submission whose files are not there is refused, and accepted once they are; with its key, also after they are gone"
    )
    func submitting() throws {
        let coordinator = try coordinator()
        join(coordinator, holding: [1, 2])
        let submission = try submission([1, 2], key: "k")
        files.state.withLock { $0.kept = [SampleDigests.digest(2)] }
        guard case .refused(let refusal)? = try ask(coordinator, .submit(submission)).last else {
            throw Unexpected(answer: "no refusal")
        }
        #expect(refusal.code == .unsentFiles && refusal.message.contains("a file of the submission: \"f1\""))
        files.state.withLock { $0.kept = [SampleDigests.digest(1), SampleDigests.digest(2)] }
        #expect(try ask(coordinator, .submit(submission)) == [.job(JobNumber(1), operations: 2, isNew: true)])
        files.state.withLock { $0.kept = [] }
        #expect(try ask(coordinator, .submit(submission)) == [.job(JobNumber(1), operations: 2, isNew: false)])
        var other = submission
        other.sent?.files.removeLast()
        guard case .refused(let conflict)? = try ask(coordinator, .submit(other)).last else {
            throw Unexpected(answer: "no refusal")
        }
        #expect(conflict.code == .keyConflict)
    }

    @Test("A submission comes too early whose files no connected worker keeps")
    func early() throws {
        let coordinator = try coordinator()
        files.state.withLock { $0.kept = [SampleDigests.digest(1)] }
        let submission = try submission([1])
        guard case .refused(let refusal)? = try ask(coordinator, .submit(submission)).last else {
            throw Unexpected(answer: "no refusal")
        }
        #expect(refusal.code == .unsentFiles && refusal.message.contains("not connected"))
        join(coordinator, holding: [1])
        #expect(try ask(coordinator, .submit(submission)) == [.job(JobNumber(1), operations: 2, isNew: true)])
    }

    @Test("The record has the files of the operation, after a restart, too, and tells the worker of them")
    func record() throws {
        let store = try SQLStore(on: MemoryDisk())
        let coordinator = try SteppedCoordinator(
            store,
            at: Timestamp(rawValue: 1_700_000_000_000_000),
            sentFiles: files
        )
        join(coordinator, holding: [1, 2])
        files.state.withLock { $0.kept = [SampleDigests.digest(1), SampleDigests.digest(2)] }
        _ = try ask(coordinator, .submit(try submission([1, 2])))
        let sent = OperationID(job: JobNumber(1), index: 1)
        let kept = [1, 2].map { SampleDigests.file("f\($0)", $0) }
        #expect(try store.files(of: sent) == kept)
        let inputs = try store.inputs(of: OperationID(job: JobNumber(1), index: 0), calledBy: .number)
        #expect(inputs.files == kept.map { InputFile(folder: "sent", file: $0) })
        #expect(try store.fileSources(of: [sent]) == [FileSource(operation: sent, attempt: 0, files: kept)])
    }

    @Test("What takes results of an earlier job is only what had the same files", arguments: [true, false])
    func reuse(isSame: Bool) throws {
        let coordinator = try coordinator()
        join(coordinator, holding: [1, 2])
        files.state.withLock { $0.kept = [SampleDigests.digest(1), SampleDigests.digest(2)] }
        _ = try ask(coordinator, .submit(try submission([1])))
        let first = try #require(seen.dispatched.first)
        let report = AttemptReport(
            started: [AttemptStart(first.token)],
            completions: [
                Completion(token: first.token, operation: first.operation, result: AttemptResult(end: .exited(0)))
            ]
        )
        coordinator.receive(WorkerMessage.report(Self.session, report).encoded(), from: Self.worker)
        coordinator.settle(flushes: true)
        _ = coordinator.takeMessages()
        var again = try submission([isSame ? 1 : 2])
        again.settings.reuse = JobNumber(1)
        #expect(try ask(coordinator, .submit(again)) == [.job(JobNumber(2), operations: 2, isNew: true)])
        let reply = try ask(coordinator, .wait([.job(JobNumber(2))], queue: nil, atMost: .zero, waiter: nil)).last
        guard case .progress(let progress)? = reply else { throw Unexpected(answer: "\(String(describing: reply))") }
        #expect(progress.isFinished == isSame && progress.counts.succeeded == (isSame ? 2 : 1))
    }

    @Test(
        "More bytes than a job may have are refused before they are sent, to the byte",
        arguments: [1, 5, 1 << 40] as [Int64]
    )
    func limitOfQuestions(limit: Int64) throws {
        let coordinator = try coordinator(jobFilesLimit: limit)
        let digests = [SampleDigests.digest(1)]
        #expect(try ask(coordinator, .missingFiles(digests, bytes: limit)) == [.digests(digests)])
        guard case .refused(let refusal)? = try ask(coordinator, .missingFiles(digests, bytes: limit + 1)).last else {
            throw Unexpected(answer: "no refusal")
        }
        #expect(refusal.code == .invalid && refusal.message.contains("(--job-files-limit)"), "\(refusal)")
        #expect(files.state.withLock { $0.pieces.isEmpty })
    }

    @Test(
        "A submission with more bytes than its job may have is refused, each content counted once",
        arguments: [
            (nil, 999, "--job-files-limit"), (999, nil, "--files-limit"), (999, 1000, "--files-limit"),
            (1000, 999, "--job-files-limit"), (1000, nil, nil), (nil, 1000, nil), (nil, nil, nil),
        ] as [(Int64?, Int64?, String?)]
    )
    func limitOfSubmissions(asked: Int64?, allowed: Int64?, option: String?) throws {
        let coordinator = try coordinator(jobFilesLimit: allowed)
        join(coordinator, holding: [1, 2])
        var submission = try submission([])
        submission.settings.filesLimit = asked
        submission.sent?.files = [
            SampleDigests.file("a", 1, size: 600), SampleDigests.file("b", 1, size: 600),
            SampleDigests.file("c", 2, size: 400),
        ]
        for isSent in [false, true] {
            if isSent { files.state.withLock { $0.kept = [SampleDigests.digest(1), SampleDigests.digest(2)] } }
            let answer = try ask(coordinator, .submit(submission)).last
            guard option != nil || !isSent else {
                #expect(answer == .job(JobNumber(1), operations: 2, isNew: true))
                continue
            }
            guard case .refused(let refusal)? = answer else { throw Unexpected(answer: "no refusal") }
            #expect(refusal.code == (option == nil ? .unsentFiles : .invalid))
            #expect(option.map { refusal.message.contains("(\($0))") } ?? true, "\(refusal)")
        }
    }

    @Test("A file without room is refused if nothing gives way", arguments: [true, false])
    func noRoom(lacksRoom: Bool) throws {
        let coordinator = try coordinator()
        join(coordinator, holding: [1])
        let refusal = Refusal(.storage, "There is no room.")
        files.state.withLock { ($0.refusal, $0.lacksRoom) = (refusal, lacksRoom) }
        #expect(try ask(coordinator, .sentPiece(piece(2))) == [.refused(refusal)])
    }
}
