import Glibc
import BatonOperations
import BatonProcesses
import Synchronization
import BatonWire
import BatonZeroMQ

/// What all attempts of a worker share.
final class AttemptServices: Sendable {
    let directory: WorkerDirectory
    let archive: OutputArchive
    /// The worker's own variables.
    let environment: ProcessEnvironment
    let coordinator: String
    /// Where files are read and written, in order, so that the worker's own thread does not wait for a disk.
    let files: WorkThread
    /// Where Swift operations run.
    let typedThreads = SlotThreads()
    /// Where files are made that attempts print to.
    private let outputs: WorkThread
    /// Where output that is too much is taken away.
    private let trimmer: WorkThread
    /// The attempts whose output is going to be.
    private let trimmed = Mutex<Set<AttemptToken>>([])
    /// Where the worker's own thread is told what became of attempts.
    private let mailbox: Mailbox<WorkerLetter>
    /// Why the inputs of attempts that have not started could not be kept.
    private let inputFailures = Mutex<[AttemptToken: FileFailure]>([:])

    /// - Throws: `SystemFailure` where the system has no room for its threads.
    init(
        directory: WorkerDirectory,
        archive: OutputArchive,
        environment: ProcessEnvironment,
        coordinator: String,
        mailbox: Mailbox<WorkerLetter>
    ) throws(SystemFailure) {
        self.directory = directory
        self.archive = archive
        self.environment = environment
        self.coordinator = coordinator
        self.mailbox = mailbox
        files = try WorkThread()
        outputs = try WorkThread()
        trimmer = try WorkThread()
    }

    /// Waits for what is still to be written, and ends the threads.
    func finish() {
        trimmer.finish()
        outputs.finish()
        files.finish()
    }

    /// Says that an attempt is over, where the worker's own thread does not find out itself; once for each, from any thread.
    func report(_ token: AttemptToken, _ result: AttemptResult) {
        mailbox.post(.attemptEnded(token, result))
    }

    /// Keeps inputs of an attempt that has not started; a failure shows when it does.
    func storeInputs(_ inputs: [Input], of token: AttemptToken) {
        files.async { [self] in
            do throws(FileFailure) {
                try withDirectories { () throws(FileFailure) in
                    try InputFiles.store(inputs, in: directory.inputs(of: token))
                }
            } catch {
                inputFailures.withLock { $0[token] = $0[token] ?? error }
            }
        }
    }

    /// Removes what was kept for an attempt.
    func discardInputs(of token: AttemptToken) {
        files.async { [self] in
            inputFailures.withLock { $0[token] = nil }
            InputFiles.remove(directory.inputs(of: token))
        }
    }
}

// MARK: - From an attempt's start to its end

extension AttemptServices {
    /// Makes ready what an attempt needs, behind the inputs that were kept for it, and says so with a letter.
    func prepare(_ assignment: Assignment) {
        // Without inputs it need not wait for what others left.
        let queue = assignment.hasInputs ? files : outputs
        queue.async { [self] in
            mailbox.post(.attemptPrepared(assignment.item.token, openOutput(of: assignment)))
        }
    }

    /// Provides what an attempt prints to, if all its inputs were kept.
    func openOutput(of assignment: Assignment) -> Result<AttemptOutput, FileFailure> {
        let item = assignment.item
        if assignment.hasInputs, let failure = inputFailures.withLock({ $0[item.token] }) { return .failure(failure) }
        do throws(FileFailure) {
            return .success(
                try withDirectories { () throws(FileFailure) in
                    try directory.check()
                    return try archive.open(item.token, of: item.operation)
                }
            )
        } catch {
            return .failure(error)
        }
    }

    /// Does something in the worker's directories, which are made again first where somebody has removed them.
    private func withDirectories<Value>(_ body: () throws(FileFailure) -> Value) throws(FileFailure) -> Value {
        do throws(FileFailure) {
            return try body()
        } catch {
            guard error.code == ENOENT else { throw error }
            if try directory.restore() { mailbox.post(.directoriesRestored) }
        }
        return try body()
    }

    /// Takes the oldest part away of what an attempt that runs has printed, where that is too much.
    func trim(_ output: AttemptOutput, of token: AttemptToken) {
        guard trimmed.withLock({ $0.insert(token).inserted }) else { return }
        trimmer.async { [self] in
            archive.trim(output)
            trimmed.withLock { _ = $0.remove(token) }
            mailbox.post(.outputTrimmed(token))
        }
    }

    /// Takes back what nothing is going to print to.
    func discard(_ output: AttemptOutput) {
        files.async { [self] in
            output.closeWriters()
            _ = archive.close(output)
        }
    }

    /// Cleans up behind an attempt that is over where it left nothing to be read or removed, which is worth no visit to
    /// another thread.
    ///
    /// - Returns: whether that was so.
    func closeBlank(_ assignment: Assignment, _ output: AttemptOutput) -> Bool {
        guard !assignment.hasInputs, archive.isBlank(output),
            assignment.isHook || ResultFile.isMissing(at: directory.result(of: assignment.item.token))
        else { return false }
        archive.closeBlank(output)
        return true
    }

    /// Adds what an attempt printed and left to its result, cleans up behind it, and brings the result with a letter.
    func collect(_ assignment: Assignment, _ ended: AttemptResult, _ output: AttemptOutput) {
        let token = assignment.item.token
        files.async { [self] in
            var result = ended
            (result.standardOutput, result.standardError) = archive.close(output)
            do throws(FileFailure) {
                if assignment.isHook {
                    // It has none.
                } else if result.end == .exited(0) {
                    result.result = try ResultFile.take(at: directory.result(of: token))
                } else {
                    // What it left half done is nobody's result.
                    ResultFile.remove(at: directory.result(of: token))
                }
            } catch  where error.isHostFault {
                result.end = .workerFault(error.description, hasRun: true)
            } catch {
                result.end = .unusableResult(error.description)
            }
            if assignment.hasInputs { discardInputs(of: token) }
            report(token, result)
        }
    }
}
