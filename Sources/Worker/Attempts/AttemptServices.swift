import Glibc
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonProcesses
import Synchronization
@_spi(Baton) import BatonThreads
@_spi(Baton) import BatonWire
@_spi(Baton) import BatonZeroMQ

/// The services that all attempts of a worker share.
final class AttemptServices: Sendable {
    let directory: WorkerDirectory
    let archive: OutputArchive
    /// The files that the worker keeps.
    let store: FileStore
    /// The worker's own variables.
    let environment: ProcessEnvironment
    /// The directory of attempts whose work names none; nil if it has no path.
    let workingDirectory: String?
    let coordinator: String
    /// More names for variables with the numbers of units, by the names of the resources.
    let unitVariables: [String: [String]]
    /// Reads and writes files, in order, so that the worker's own thread does not wait for a disk.
    let files: WorkThread
    /// The threads of Swift operations.
    let typedThreads = SlotThreads()
    /// Creates the files that attempts print to.
    private let outputs: WorkThread
    /// Trims outputs above the limit.
    private let trimmer: WorkThread
    /// Keeps the files that attempts leave, from the first such attempt on.
    ///
    /// Files may be large, and no other attempt waits for this thread.
    private let keeper = Mutex<WorkThread?>(nil)
    /// The attempts with a pending trim of their output.
    private let trimmed = Mutex<Set<AttemptToken>>([])
    /// The contents that wait for a look.
    private let doubted = Mutex<Set<ContentDigest>>([])
    /// Whether a trim of files that are left of ended attempts is pending.
    private let isTrimmingLeftFiles = Atomic(false)
    /// The mailbox of the worker's own thread, for reports about attempts.
    private let mailbox: PolledMailbox<WorkerLetter>
    /// The progress that Swift operations report.
    let progress = ProgressBoard()
    /// The reasons for which inputs of unstarted attempts could not be stored.
    private let inputFailures = Mutex<[AttemptToken: FileFailure]>([:])

    /// - Throws: ``BatonThreads/ThreadFailure`` if the system has no room for the threads.
    init(
        directory: WorkerDirectory,
        archive: OutputArchive,
        store: FileStore,
        environment: ProcessEnvironment,
        coordinator: String,
        unitVariables: [String: [String]] = [:],
        mailbox: PolledMailbox<WorkerLetter>
    ) throws(ThreadFailure) {
        self.directory = directory
        self.archive = archive
        self.store = store
        self.environment = environment
        workingDirectory = LogicalDirectory.current()
        self.coordinator = coordinator
        self.unitVariables = unitVariables
        self.mailbox = mailbox
        files = try WorkThread(named: "files")
        outputs = try WorkThread(named: "outputs")
        trimmer = try WorkThread(named: "trimmer")
    }

    /// Waits for pending file work, and ends the threads.
    func finish() {
        trimmer.finish()
        outputs.finish()
        store.stop()
        files.finish()
        // The thread of the files hands over to it.
        keeper.withLock { $0 }?.finish()
    }

    /// The directory in which an attempt runs; nil for the worker's own.
    func attemptDirectory(of assigned: AssignedWork) -> String? {
        assigned.hasWorkspace ? directory.workspace(of: assigned.assignment.token) : assigned.work.directory
    }

    /// Reports an attempt's end that the worker's own thread does not notice; once for each attempt, from any thread.
    func report(_ token: AttemptToken, _ result: AttemptResult) {
        mailbox.post(.attemptEnded(token, result))
    }

    /// Keeps the progress that a running attempt reports, from any thread.
    func report(_ progress: OperationProgress, of token: AttemptToken) {
        if self.progress.put(progress, of: token) { mailbox.post(.attemptsProgressed) }
    }

    /// The surroundings of Swift operations' attempts.
    var typedAttemptHost: TypedAttemptHost {
        TypedAttemptHost(
            executor: typedThreads,
            coordinator: coordinator,
            ended: { [self] in report($0, $1) },
            progressed: { [self] in report($1, of: $0) }
        )
    }

    /// Stores inputs of an unstarted attempt; a failure surfaces when the attempt starts.
    func storeInputs(_ inputs: [Input], of token: AttemptToken) {
        files.async { [self] in
            do throws(FileFailure) {
                try withDirectories { () throws(FileFailure) in
                    try directory.checkInputs()
                    try InputFiles.store(inputs, in: directory.inputs(of: token))
                }
            } catch {
                inputFailures.withLock { $0[token] = $0[token] ?? error }
            }
        }
    }

    /// Removes the stored inputs of an attempt.
    func discardInputs(of token: AttemptToken) {
        files.async { [self] in removeInputs(of: token) }
    }

    /// Removes the files that were written for an attempt before its start.
    func discardFiles(of assigned: AssignedWork) {
        guard assigned.needsFiles || assigned.hasWorkspace else { return }
        files.async { [self] in removeFiles(of: assigned) }
    }

    /// Removes the stored inputs of an attempt, on the thread of the files or on that of kept files.
    private func removeInputs(of token: AttemptToken) {
        inputFailures.withLock { $0[token] = nil }
        InputFiles.remove(directory.inputs(of: token))
    }

    /// Removes the files that were written for an attempt before its start, and its own directory, on the thread of the files or on that
    /// of kept files.
    private func removeFiles(of assigned: AssignedWork) {
        let token = assigned.assignment.token
        if assigned.hasWorkspace { FileTree.remove(directory.workspace(of: token)) }
        if assigned.hasInputs { removeInputs(of: token) }
        if assigned.work.input != nil { InputFiles.remove(directory.standardInput(of: token)) }
    }
}

// MARK: - From an attempt's start to its end

extension AttemptServices {
    /// Prepares the files of an attempt, after storing its inputs, and posts the outcome in a letter.
    func prepare(_ assigned: AssignedWork) {
        // An attempt without inputs need not wait for other attempts' files.
        let queue = assigned.needsFiles ? files : outputs
        queue.async { [self] in
            mailbox.post(.attemptPrepared(assigned.assignment.token, openOutput(of: assigned)))
        }
    }

    /// Opens the output files of an attempt, if all of its inputs were stored.
    func openOutput(of assigned: AssignedWork) -> Result<AttemptOutput, FileFailure> {
        let assignment = assigned.assignment
        if assigned.hasInputs, let failure = inputFailures.withLock({ $0[assignment.token] }) {
            return .failure(failure)
        }
        do throws(FileFailure) {
            var output = try withDirectories { () throws(FileFailure) in
                let resultsNumber = try directory.check()
                if let input = assigned.work.input {
                    try directory.checkInputs()
                    try InputFiles.write(input, to: directory.standardInput(of: assignment.token))
                }
                if assigned.hasWorkspace { try directory.makeWorkspace(of: assignment.token) }
                var output = try archive.open(assignment.token, of: assignment.operation)
                output.resultsNumber = resultsNumber
                return output
            }
            do throws(FileFailure) {
                try linkFiles(of: assigned)
                if assigned.work.hasOutputFiles {
                    try OutputFiles(of: assigned, in: attemptDirectory(of: assigned))?.redirect(&output)
                }
                // After the files for output, which would empty what is in their places.
                if assigned.picksInputs { try placeInputs(of: assigned) }
            } catch {
                output.closeWriters()
                _ = archive.close(output)
                throw error
            }
            return .success(output)
        } catch {
            return .failure(error)
        }
    }

    /// Makes links to the files of dependencies among the inputs of an attempt.
    private func linkFiles(of assigned: AssignedWork) throws(FileFailure) {
        guard !assigned.files.isEmpty else { return }
        try withDirectories { () throws(FileFailure) in try directory.checkInputs() }
        do throws(FileFailure) {
            try InputFiles.link(assigned.files, in: directory.inputs(of: assigned.assignment.token), from: store)
        } catch {
            throw error.isOfAbsence && !error.isOfLostContent ? FileFailure.lostInput(error) : error
        }
    }

    /// Puts the inputs that the work picks into the directory of an attempt.
    private func placeInputs(of assigned: AssignedWork) throws(FileFailure) {
        let token = assigned.assignment.token
        let picks: [InputPick]
        do throws(Refusal) { picks = try assigned.picks } catch { throw FileFailure(error.message) }
        do throws(FileFailure) {
            var inputs = try PickedInputs(
                assigned.files,
                in: directory.inputs(of: token),
                for: directory.workspace(of: token),
                from: store
            )
            for pick in picks { try inputs.place(pick) }
        } catch {
            throw error.isOfAbsence && !error.isOfLostContent ? FileFailure.lostInput(error) : error
        }
    }

    /// Runs file work in the worker's directories; if directories were removed or replaced, creates them again and retries.
    private func withDirectories<Value>(_ body: () throws(FileFailure) -> Value) throws(FileFailure) -> Value {
        do throws(FileFailure) {
            return try body()
        } catch {
            guard error.isOfAbsence else { throw error }
            if try directory.restore() { mailbox.post(.directoriesRestored) }
        }
        return try body()
    }

    /// Removes the oldest part of a running attempt's output if the output exceeds the limit.
    func trim(_ output: AttemptOutput, of token: AttemptToken) {
        guard trimmed.withLock({ $0.insert(token).inserted }) else { return }
        trimmer.async { [self] in
            archive.trim(output)
            trimmed.withLock { _ = $0.remove(token) }
            mailbox.post(.outputTrimmed(token))
        }
    }

    /// Keeps files that processes of ended attempts print to within the limits.
    func trimLeftFiles() {
        guard !isTrimmingLeftFiles.exchange(true, ordering: .acquiringAndReleasing) else { return }
        trimmer.async { [self] in
            archive.trimLeftFiles()
            isTrimmingLeftFiles.store(false, ordering: .releasing)
        }
    }

    /// Takes back output files that no command will use.
    func discard(_ output: AttemptOutput) {
        files.async { [self] in
            output.closeWriters()
            _ = archive.close(output)
        }
    }

    /// Adds the output of an ended attempt without inputs, long output or result to its result, and cleans up, which needs
    /// no other thread.
    ///
    /// - Returns: the result with the output; nil if the attempt may have inputs, long output or a result, and nothing was
    ///   done.
    func closeShort(_ assigned: AssignedWork, _ ended: AttemptResult, _ output: AttemptOutput) -> AttemptResult? {
        guard !assigned.needsFiles, !assigned.hasWorkspace, !assigned.leavesFiles,
            assigned.assignment.isHook || hasLeftNoResult(assigned, ended, output),
            let tails = archive.closeShort(output)
        else { return nil }
        var result = ended
        (result.standardOutput, result.standardError) = tails
        return result
    }

    /// Whether an attempt is known to have left no result.
    private func hasLeftNoResult(_ assigned: AssignedWork, _ ended: AttemptResult, _ output: AttemptOutput) -> Bool {
        // In this order: the directory may be removed in between.
        ResultFile.isMissing(at: directory.result(of: assigned.assignment.token))
            && (ended.end != .exited(0) || hasResults(output))
    }

    /// Whether the directory of results is still the one of the attempt's start.
    private func hasResults(_ output: AttemptOutput) -> Bool {
        output.resultsNumber != nil && directory.resultsPlace.number == output.resultsNumber
    }

    /// Makes the directory of results anew after its loss, and describes the loss in sentences.
    private func restoreLostResults() -> String {
        var text =
            "The directory \"\(directory.results)\" was removed or replaced while the operation was executing, so that "
            + "nobody knows whether it has left a result. Keep other programs out of this directory."
        do throws(FileFailure) {
            if try directory.restore() { mailbox.post(.directoriesRestored) }
        } catch {
            text += " \(error)"
        }
        return text
    }

    /// Adds the output and the result file of an attempt to its result, cleans up, and posts the result in a letter.
    func collect(_ assigned: AssignedWork, _ ended: AttemptResult, _ output: AttemptOutput) {
        let token = assigned.assignment.token
        files.async { [self] in
            var result = ended
            (result.standardOutput, result.standardError) = archive.close(output)
            do throws(FileFailure) {
                if assigned.assignment.isHook {
                    // A completion hook has no result.
                } else if !hasResults(output) {
                    // What is at the path now is not what the attempt has left.
                    if result.end == .exited(0) { result.end = .workerFault(restoreLostResults(), hasRun: true) }
                } else if result.end == .exited(0) {
                    result.result = try ResultFile.take(at: directory.result(of: token))
                    if result.result == nil, !hasResults(output) {
                        result.end = .workerFault(restoreLostResults(), hasRun: true)
                    }
                } else if assigned.work.keepResult == .always {
                    // The failure stays the end of the attempt, also where what it has left is no result.
                    result.result = try? ResultFile.take(at: directory.result(of: token))
                } else {
                    // A failed attempt may have left an incomplete result.
                    ResultFile.remove(at: directory.result(of: token))
                }
            } catch  where error.isHostFault {
                result.end = .workerFault(error.description, hasRun: true)
            } catch {
                result.end = .unusableResult(error.description)
            }
            guard assigned.hasWorkspace || assigned.leavesFiles else {
                removeFiles(of: assigned)
                return report(token, result)
            }
            let collected = result
            // On a host without room for another thread, others wait for these files.
            guard let keeper = startedKeeper() else { return finishKeeping(assigned, collected) }
            keeper.async { [self] in finishKeeping(assigned, collected) }
        }
    }

    /// The thread that keeps files, started if it is not running; nil if the host has no room for it.
    private func startedKeeper() -> WorkThread? {
        keeper.withLock { keeper in
            if keeper == nil { keeper = try? WorkThread(named: "keeper") }
            return keeper
        }
    }

    /// Compares kept files with their digests, drops damaged ones, and posts a letter for each intact one (FI8).
    ///
    /// The files may be large. An attempt that needs one of them meanwhile checks it itself.
    func verifyFiles(_ digests: [ContentDigest]) {
        store.doubt(digests)
        let thread = startedKeeper() ?? files
        for digest in digests where doubted.withLock({ $0.insert(digest).inserted }) {
            thread.async { [self] in
                // A later question is about later uses, and gets a look of its own.
                doubted.withLock { _ = $0.remove(digest) }
                if store.verify(digest) { mailbox.post(.filesVerified([digest])) }
            }
        }
    }

    /// Keeps the files that an attempt has left, cleans up, and posts the result in a letter.
    private func finishKeeping(_ assigned: AssignedWork, _ collected: AttemptResult) {
        let result = keepFiles(of: assigned, collected)
        removeFiles(of: assigned)
        report(assigned.assignment.token, result)
    }

    /// Keeps the files that a successful attempt has left.
    ///
    /// - Returns: the result of the attempt with its files, or with the failure to keep them.
    private func keepFiles(of assigned: AssignedWork, _ collected: AttemptResult) -> AttemptResult {
        guard assigned.leavesFiles, collected.end == .exited(0) else { return collected }
        var result = collected
        do throws(UnkeptFiles) {
            let collector = OutputCollector(
                store: store,
                directory: attemptDirectory(of: assigned) ?? ".",
                patterns: try Self.patterns(of: assigned),
                isFresh: assigned.hasWorkspace
            )
            result.files = try collector.collect()
        } catch {
            result.end = error.end
            if assigned.work.keepResult != .always { result.result = nil }
        }
        return result
    }

    private static func patterns(of assigned: AssignedWork) throws(UnkeptFiles) -> [OutputPattern] {
        do throws(Refusal) { return try assigned.outputs } catch { throw UnkeptFiles(error.message) }
    }
}
