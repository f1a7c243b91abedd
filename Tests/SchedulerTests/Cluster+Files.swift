@_spi(Baton) import BatonOperations
import Testing

@_spi(Baton) @testable import BatonScheduler

/// Reports of workers about files: attempts that end with files, copies held, and copies dropped.
extension Cluster {
    /// Tells the scheduler of the files of finished operations that a request is about to depend on, as a coordinator does.
    mutating func tellFiles(
        of addresses: some Sequence<Address>,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let known = record.files(of: addresses)
        if !known.isEmpty { apply(.filesKnown(known), sourceLocation: sourceLocation) }
    }

    /// Submits an operation that leaves files, and a dependent that needs the files but cannot start: its queue `b` is suspended.
    mutating func submitWithBlockedDependent(
        copies: Int = 1,
        settings: JobSettings = JobSettings(),
        sourceLocation: SourceLocation = #_sourceLocation
    ) -> JobNumber {
        suspend("b", sourceLocation: sourceLocation)
        return submit(
            .op(),
            .op(queue: 1, on: .needs(0)),
            queues: ["a", "b"],
            templates: [.leavingFiles(copies: copies)],
            settings: settings,
            sourceLocation: sourceLocation
        )
    }

    /// Ends the running attempt of an operation with success; its worker keeps the files.
    mutating func finish(
        _ id: OperationID,
        leaving file: KeptFile,
        _ others: KeptFile...,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        guard let attempt = running[id] else {
            Issue.record("\(id) is not running", sourceLocation: sourceLocation)
            return
        }
        finish(attempt, leaving: [file] + others, sourceLocation: sourceLocation)
    }

    /// Ends an attempt with success; its worker keeps the files.
    mutating func finish(
        _ attempt: Dispatch,
        leaving files: [KeptFile],
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        apply(
            .attemptEnded(
                attempt.session,
                attempt.token,
                attempt.operation,
                AttemptResult(end: .exited(0), result: nil, files: files),
                seed: 0
            ),
            sourceLocation: sourceLocation
        )
        if running[attempt.operation]?.token == attempt.token { running[attempt.operation] = nil }
    }

    /// Lets a worker tell that it has nothing but some files.
    mutating func report(
        _ files: KeptFile...,
        in session: SessionID,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        apply(.filesHeld(session, files.map(\.digest), isFirst: true), sourceLocation: sourceLocation)
    }

    /// Removes a worker with all it has.
    mutating func expel(_ name: String, sourceLocation: SourceLocation = #_sourceLocation) {
        apply(.workerExpelled(name, because: "Its worker was taken away"), sourceLocation: sourceLocation)
    }

    /// Lets a worker take its time to fetch the files of some operations.
    mutating func delayFetches(of ids: OperationID..., at session: SessionID) {
        workers[session]?.slowFetches.formUnion(ids)
    }

    /// Ends the fetches of a worker, which has the files from then on.
    mutating func endFetches(
        of files: KeptFile...,
        at session: SessionID,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        workers[session]?.endFetches()
        apply(.filesHeld(session, files.map(\.digest), isFirst: false), sourceLocation: sourceLocation)
    }

    /// The contents that the last event allowed a worker to delete.
    func released(in session: SessionID) -> Set<ContentDigest> {
        effects.reduce(into: []) { all, effect in
            if case .releaseFiles(session, let digests) = effect { all.formUnion(digests) }
        }
    }

    /// The contents that the last event asked a worker to keep again.
    func retained(in session: SessionID) -> Set<ContentDigest> {
        effects.reduce(into: []) { all, effect in
            if case .retainFiles(session, let digests) = effect { all.formUnion(digests) }
        }
    }

    /// The contents that the last event asked a worker to copy, in order.
    func copied(in session: SessionID) -> [ContentDigest] {
        effects.flatMap { effect in
            if case .copyFiles(session, let files) = effect { files.map(\.digest) } else { [ContentDigest]() }
        }
    }

    /// The contents of which the last event asked a worker to look at its copies.
    func questioned(in session: SessionID) -> Set<ContentDigest> {
        effects.reduce(into: []) { all, effect in
            if case .verifyFiles(session, let digests) = effect { all.formUnion(digests) }
        }
    }

    /// The attempts of an operation that were started, by their numbers.
    func attempts(of id: OperationID) -> [UInt32] { started.filter { $0.operation == id }.map(\.attempt) }
}

extension KeptFile {
    /// A file with one of a few contents, told by a number.
    init(_ path: String, _ content: UInt64, size: Int64 = 1000) {
        let bytes = (0..<4).flatMap { _ in (0..<8).map { UInt8(truncatingIfNeeded: content >> ($0 * 8)) } }
        guard let digest = ContentDigest(bytes: bytes) else {
            fatalError("A digest has \(ContentDigest.length) bytes.")
        }
        self.init(path: path, size: size, mode: 0o644, digest: digest)
    }
}

extension Template {
    /// A template whose operations leave files.
    static let leavingFiles: Template = {
        var template = Template(work: Work(.commands([["make"]])))
        template.work.outputs = ["*"]
        return template
    }()

    /// The same, and a lost attempt is never repeated.
    static let leavingFilesOnce: Template = {
        var template = leavingFiles
        template.restart = .never
        return template
    }()

    /// A template whose operations leave files that several workers are to keep.
    static func leavingFiles(copies: Int) -> Template {
        var template = leavingFiles
        template.work.copies = copies
        return template
    }

    /// A template whose operations leave files, with retries.
    static func leavingFiles(retries: UInt16) -> Template {
        var template = leavingFiles
        template.retries = retries
        return template
    }
}
