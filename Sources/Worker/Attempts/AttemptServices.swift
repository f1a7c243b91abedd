import Dispatch
import Operations
import Processes
import Synchronization
import Wire
import ZeroMQ

/// What all attempts of a worker share.
final class AttemptServices: Sendable {
    let supervisor: ProcessSupervisor
    let directory: WorkerDirectory
    let archive: OutputArchive
    /// The worker's own variables.
    let environment: ProcessEnvironment
    let coordinator: String
    /// Where files are read and written, in order, so that neither the socket's nor the supervisor's thread waits for a
    /// disk.
    let files = DispatchQueue(label: "baton.worker.files")
    /// Where the worker's own thread is told what became of attempts.
    private let mailbox: Mailbox<WorkerLetter>
    /// Why the inputs of attempts that have not started could not be kept.
    private let inputFailures = Mutex<[AttemptToken: FileFailure]>([:])
    private let lastProcess = Atomic<UInt64>(0)

    init(
        supervisor: ProcessSupervisor,
        directory: WorkerDirectory,
        archive: OutputArchive,
        environment: ProcessEnvironment,
        coordinator: String,
        mailbox: Mailbox<WorkerLetter>
    ) {
        self.supervisor = supervisor
        self.directory = directory
        self.archive = archive
        self.environment = environment
        self.coordinator = coordinator
        self.mailbox = mailbox
    }

    /// Says that the processes of an attempt are gone, where its end is reported later.
    func reportSlotFreed(by token: AttemptToken) {
        mailbox.post(.slotFreed(token))
    }

    /// Says that an attempt is over; once for each, from any thread.
    func report(_ token: AttemptToken, _ result: AttemptResult) {
        mailbox.post(.attemptEnded(token, result))
    }

    /// Names for so many processes, which nothing else of this worker has.
    func processTokens(_ count: Int) -> Range<UInt64> {
        let last = lastProcess.add(UInt64(count), ordering: .relaxed).newValue
        return (last - UInt64(count) + 1)..<(last + 1)
    }

    /// Keeps inputs of an attempt that has not started; a failure shows when it does.
    func storeInputs(_ inputs: [Input], of token: AttemptToken) {
        files.async { [self] in
            do throws(FileFailure) {
                try InputFiles.store(inputs, in: directory.inputs(of: token))
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

    /// Checks that all inputs of an attempt were kept.
    func checkInputs(of token: AttemptToken) throws(FileFailure) {
        if let failure = inputFailures.withLock({ $0[token] }) { throw failure }
    }
}
