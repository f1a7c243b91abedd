@_spi(Baton) package import BatonOperations
@_spi(Baton) package import BatonThreads
@_spi(Baton) package import BatonWire

/// What surrounds a worker's session: a clock, a connection, processes, threads and files.
///
/// The worker's process, the test cluster and the simulation are one each; ``WorkerShell`` tells them what to do. What they bring
/// about comes back as an event, through ``WorkerShell/handle(_:in:)``.
package protocol WorkerSurroundings: AnyObject {
    /// The reason why the worker cannot send anything any more.
    associatedtype Failure: Error

    /// The time since a fixed moment, by a clock that never goes backwards.
    var now: Duration { get }

    /// A fresh random number.
    func randomNumber() -> UInt64

    // MARK: - The connection

    /// Opens a connection to the place with this number, and reports the outcome.
    func openConnection(at place: Int)

    /// Asks all places who leads, now and whenever it may have changed, and reports the answers.
    func openInquiries()

    /// Puts the coordinators that the worker obeys on the disk, before it returns.
    func keepRanks(_ ranks: KnownRanks)

    /// Closes the connection, or what opens it, and drops its waiting messages.
    func closeConnection()

    /// Looks for signs of life in the bytes of the connection.
    ///
    /// - Returns: the time of the latest sign and the round trip; nil where nobody can tell.
    func lookAtConnection() -> (signAt: Duration?, roundTrip: Duration)

    /// Sends a message over the connection, if there is one.
    func send(_ message: WorkerMessage) throws(Failure)

    // MARK: - Commands

    /// Starts an attempt of commands, and reports its end.
    func startCommands(of assigned: AssignedWork)

    /// Ends an attempt of commands, with its grace period.
    func endCommands(of token: AttemptToken, for cause: WorkerSession.EndCause)

    /// Stops an attempt of commands, with its timeout, until it is resumed or ended.
    func pauseCommands(of token: AttemptToken)

    /// Continues a stopped attempt of commands.
    func resumeCommands(of token: AttemptToken)

    /// Sends a signal to an attempt of commands.
    func signalCommands(of token: AttemptToken, _ signal: OperationSignal)

    /// Kills all commands at once.
    func killCommands()

    // MARK: - Swift operations

    /// Starts an attempt of a Swift operation, and reports its end.
    ///
    /// - Throws: ``BatonThreads/ThreadFailure`` if the system has no room for a thread; then nothing was started.
    func start(
        _ function: @escaping OperationTypes.Function,
        argument: [UInt8],
        of assigned: AssignedWork
    ) throws(ThreadFailure) -> TypedAttempt

    /// Ends an attempt of a Swift operation.
    func end(_ attempt: TypedAttempt, for cause: TypedAttempt.Cause)

    // MARK: - Files

    /// Stores inputs for an attempt that starts later; if storing fails, the attempt ends when it starts.
    func storeInputs(_ inputs: [Input], of token: AttemptToken)

    /// Removes the stored inputs of an attempt that will not start.
    func discardInputs(of token: AttemptToken)

    /// Fetches the files that an attempt needs and that are not kept here, and reports the outcome.
    func fetchFiles(_ files: [InputFile], of token: AttemptToken)

    /// Stops fetching for an attempt that will not start.
    func dropFetch(of token: AttemptToken)

    /// Lets files be removed when their room is needed; what is being copied for no attempt is not copied any more.
    func releaseFiles(_ digests: [ContentDigest])

    /// Keeps files from being removed.
    func retainFiles(_ digests: [ContentDigest])

    /// Compares the content of files with their digests, drops what is damaged, and reports what is right.
    func verifyFiles(_ digests: [ContentDigest])

    /// Copies files from other workers for no attempt, and reports those that cannot be had.
    func copyFiles(_ files: [KeptFile])

    /// Reads a piece of an attempt's output, and reports the piece; `isOver` means that the output will not grow any more.
    func readOutput(_ request: OutputRequest, isOver: Bool)

    /// Notes in the ledger of the directory that an attempt starts.
    func noteStart(_ start: StartedAttempt, at place: Int32)

    /// Erases places in the ledger of the directory.
    func eraseStarts(at places: [Int32])

    /// Notes in the ledger of the directory that it no longer has the starts of earlier lives.
    func forgetEarlierLives()

    /// Puts attempts on the disk for the worker's successor, in place of earlier ones.
    func keep(_ attempts: [KeptAttempts.Attempt])

    /// Removes the attempts on the disk.
    func discardKeptAttempts()
}
