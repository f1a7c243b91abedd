@_spi(Baton) import BatonClient
@_spi(Baton) import BatonOperations

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Sends files of this host to the coordinator before the submission that needs them.
struct SentUpload: Sendable {
    /// How often a submission is repeated whose files have gone meanwhile.
    private static let tries = 25
    /// How long to wait before a repetition.
    private static let pause = Duration.milliseconds(200)

    private let run: SendRun
    private let files: [KeptFile]

    /// Finds the files of a submission, sends the contents that the coordinator does not have, and notes the files in the submission; nil
    /// for a submission without files.
    ///
    /// - Parameter interruption: what ends the process; nil to look for signals here.
    /// - Throws: ``CommandFailure`` for files that cannot be sent, `Refusal` for more than the job may have, `ClientError`, and
    ///   ``QuietExit`` at a signal.
    init?(
        of submission: inout Submission,
        over connection: ClientConnection,
        _ global: GlobalOptions,
        _ interruption: Interruption? = nil
    ) async throws {
        guard let paths = submission.sent?.paths, !paths.isEmpty else { return nil }
        let interruption = interruption ?? Interruption()
        let limit = submission.settings.filesLimit
        let (run, files) = try await Self.send(paths, limit: limit, over: connection, global, interruption)
        self.run = run
        self.files = files
        submission.sent?.files = files
    }

    /// Submits work with sent files, and sends the files again if the coordinator has lost them.
    static func submitting<Answer: Sendable>(
        with upload: SentUpload?,
        _ request: () async throws -> Answer
    ) async throws -> Answer {
        guard let upload else { return try await request() }
        for _ in 1..<tries {
            do {
                return try await request()
            } catch let error as ClientError where error.refusal?.code == .unsentFiles {
                try await Task.sleep(for: pause)
                try await upload.repeatSending()
            }
        }
        return try await request()
    }

    private func repeatSending() async throws {
        do {
            try await run.send(files)
        } catch let error as SendError {
            throw CommandFailure(error)
        }
    }

    /// - Parameter limit: the most bytes of all files of the job; nil for none but the coordinator's.
    private static func send(
        _ paths: [String],
        limit: Int64?,
        over connection: ClientConnection,
        _ global: GlobalOptions,
        _ interruption: Interruption
    ) async throws -> (SendRun, [KeptFile]) {
        let task = Task { () async throws -> (SendRun, [KeptFile]) in
            let search = try SendSearch(paths)
            let run = SendRun(search.files, over: connection)
            let display = SendDisplay(run, files: search.files.count)
            let shown = Task { await display.show(isWanted: !global.quiet && !global.json) }
            let result: Result<[KeptFile], any Error>
            do {
                let files = try await run.readFiles()
                let bytes = SentFiles.bytes(of: files)
                if let refusal = SentFiles.objection(toBytes: bytes, asked: limit, allowed: nil) {
                    // Where the coordinator does not allow as much, its limit is the one to know of.
                    try await run.requireAllowance(of: bytes)
                    throw refusal
                }
                try await run.send(files)
                result = .success(files)
            } catch {
                result = .failure(error)
            }
            shown.cancel()
            await shown.value
            return (run, try result.get())
        }
        interruption.onFirst { task.cancel() }
        let result = await task.result
        if let signal = interruption.signal { throw QuietExit(signal: signal) }
        do {
            return try result.get()
        } catch let error as SendError {
            throw CommandFailure(error)
        }
    }
}

extension CommandFailure {
    /// Converts the reason why files of this host cannot be sent.
    fileprivate init(_ error: SendError) {
        let status =
            switch error.systemCode {
            case EACCES, EPERM: ExitStatus.notAllowed
            case 0: ExitStatus.refusedInput
            default: ExitStatus.notFound
            }
        self.init(status, code: error.code == .unreadable ? "file" : error.code.rawValue, error.message)
    }
}
