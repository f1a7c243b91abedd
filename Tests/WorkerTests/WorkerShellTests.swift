import Foundation
@_spi(Baton) import BatonLogging
@_spi(Baton) import BatonOperations
import Testing
@_spi(Baton) @testable import BatonThreads
@_spi(Baton) import BatonWire

@_spi(Baton) @testable import BatonWorker

/// Surroundings that note each call, and start and send nothing.
private final class Notebook: WorkerSurroundings {
    typealias Failure = Never

    var now = Duration.zero
    var messages: [WorkerMessage] = []
    var notes: [String] = []
    /// Whether the system has no room for threads.
    var isFull = false

    func randomNumber() -> UInt64 { 7 }
    func openConnection(at place: Int) { notes.append(place == 0 ? "open" : "open \(place)") }
    func openInquiries() { notes.append("inquire") }
    func keepRanks(_ ranks: KnownRanks) { notes.append("keep ranks") }
    func closeConnection() { notes.append("close") }

    func lookAtConnection() -> (signAt: Duration?, roundTrip: Duration) {
        notes.append("look")
        return (now, .zero)
    }

    func send(_ message: WorkerMessage) throws(Never) { messages.append(message) }
    func startCommands(of assigned: AssignedWork) { notes.append("start \(assigned.assignment.token.serial)") }
    func endCommands(of token: AttemptToken, for cause: WorkerSession.EndCause) { notes.append("end \(token.serial)") }
    func pauseCommands(of token: AttemptToken) { notes.append("pause \(token.serial)") }
    func resumeCommands(of token: AttemptToken) { notes.append("resume \(token.serial)") }
    func signalCommands(of token: AttemptToken, _ signal: OperationSignal) {
        notes.append("\(signal.rawValue) \(token.serial)")
    }
    func killCommands() { notes.append("kill") }

    func start(
        _ function: @escaping OperationTypes.Function,
        argument: [UInt8],
        of assigned: AssignedWork
    ) throws(ThreadFailure) -> TypedAttempt {
        if isFull { throw ThreadFailure(code: 11) }
        notes.append("call \(assigned.assignment.token.serial)")
        let host = TypedAttemptHost(
            executor: globalConcurrentExecutor,
            coordinator: "",
            ended: { _, _ in },
            progressed: { _, _ in }
        )
        return TypedAttempt(assigned, host: host)
    }

    func end(_ attempt: TypedAttempt, for cause: TypedAttempt.Cause) {
        switch cause {
        case .timeout: notes.append("timeout")
        case .asked(let cause): notes.append("cancel: \(cause)")
        }
    }

    func storeInputs(_ inputs: [Input], of token: AttemptToken) { notes.append("store") }
    func discardInputs(of token: AttemptToken) { notes.append("discard") }
    func fetchFiles(_ files: [InputFile], of token: AttemptToken) { notes.append("fetch \(files.count)") }
    func dropFetch(of token: AttemptToken) { notes.append("drop fetch") }
    func releaseFiles(_ digests: [ContentDigest]) { notes.append("release \(digests.count)") }
    func retainFiles(_ digests: [ContentDigest]) { notes.append("retain \(digests.count)") }
    func verifyFiles(_ digests: [ContentDigest]) { notes.append("verify \(digests.count)") }
    func copyFiles(_ files: [KeptFile]) { notes.append("copy \(files.count)") }
    func readOutput(_ request: OutputRequest, isOver: Bool) { notes.append("read") }
    func noteStart(_ start: StartedAttempt, at place: Int32) { notes.append("note \(start.token.serial) at \(place)") }
    func eraseStarts(at places: [Int32]) { notes.append("erase \(places)") }
    func forgetEarlierLives() { notes.append("forget lives") }
    func keep(_ attempts: [KeptAttempts.Attempt]) { notes.append("keep") }
    func discardKeptAttempts() { notes.append("forget") }

    /// The notes and messages since the last call.
    func take() -> (notes: [String], messages: [WorkerMessage]) {
        defer { (notes, messages) = ([], []) }
        return (notes, messages)
    }
}

@Suite("The shell around a worker's session")
struct WorkerShellTests {
    private let notebook = Notebook()
    private let shell: WorkerShell
    private let log = Pipe()

    /// A worker that a coordinator has welcomed.
    init() throws {
        var types = OperationTypes()
        try types.register("echo") { $0.argument }
        let configuration = WorkerSession.Configuration(
            name: "w1",
            version: "test",
            slots: 2,
            host: "here",
            processID: 7,
            life: WorkerLife(rawValue: 1)
        )
        shell = WorkerShell(
            configuration,
            types: types,
            logger: Logger(label: "worker", level: .warning, descriptor: log.fileHandleForWriting.fileDescriptor)
        )
        #expect(shell.endTurn(in: notebook) == nil)
        #expect(notebook.take().notes == ["open"])
        turn(.connectionOpened)
        turn(welcome)
        _ = notebook.take()
    }

    /// The answer to the latest hello.
    private var welcome: WorkerSession.Event {
        .message(
            .welcome(
                Welcome(
                    protocolVersion: ProtocolVersion.newest,
                    session: shell.session.session,
                    epoch: 1,
                    heartbeatInterval: .seconds(1),
                    lease: .seconds(45),
                    staleAttempts: [],
                    recalledAttempts: []
                )
            )
        )
    }

    @discardableResult
    private func turn(_ events: WorkerSession.Event...) -> WorkerSession.ExitReason? {
        for event in events { shell.handle(event, in: notebook) }
        return shell.endTurn(in: notebook)
    }

    @Test("A start is in the ledger before anything runs")
    func ledger() {
        var configuration = shell.session.configuration
        configuration.leftStarts = LeftStarts()
        let logger = Logger(label: "worker", level: .critical, descriptor: -1)
        let shell = WorkerShell(configuration, types: OperationTypes(), logger: logger)
        _ = shell.endTurn(in: notebook)
        shell.handle(.connectionOpened, in: notebook)
        _ = shell.endTurn(in: notebook)
        let welcome = Welcome(
            protocolVersion: ProtocolVersion.newest,
            session: shell.session.session,
            epoch: 1,
            heartbeatInterval: .seconds(1),
            lease: .seconds(45),
            staleAttempts: [],
            recalledAttempts: []
        )
        shell.handle(.message(.welcome(welcome)), in: notebook)
        shell.handle(.message(.dispatch(batch([token(1)]))), in: notebook)
        _ = notebook.take()
        _ = shell.endTurn(in: notebook)
        #expect(notebook.take().notes == ["note 1 at 0", "start 1"])
        shell.handle(.attemptFinished(token(1), result()), in: notebook)
        shell.handle(.message(.acknowledge([token(1)])), in: notebook)
        _ = shell.endTurn(in: notebook)
        #expect(notebook.take().notes == ["erase [0]"])
    }

    private func dispatch(_ type: String, _ serial: UInt64 = 1, timeout: Duration? = nil) {
        let work = Work(.typed(type: type, argument: []), timeout: timeout)
        turn(.message(.dispatch(batch([token(serial)], work: work))))
    }

    /// The ends that the worker has reported since the last call.
    private func ends() -> [AttemptEnd] {
        // The gathering of ends is over then.
        notebook.now += .milliseconds(20)
        turn()
        return notebook.take().messages.flatMap { message in
            if case .report(_, let report) = message { report.completions.map(\.result.end) } else { [AttemptEnd]() }
        }
    }

    @Test("Commands and functions go to their own parts of the surroundings, from the start to the end")
    func parts() {
        turn(.message(.dispatch(batch([token(1)]))))
        dispatch("echo", 2)
        #expect(notebook.take().notes == ["start 1", "call 2"])
        turn(.message(.cancel([token(1), token(2)])))
        #expect(notebook.take().notes == ["end 1", "cancel: cancelled"])
        turn(.attemptFinished(token(2), result()))
        #expect(ends() == [.exited(0)] && shell.functionCount == 0)
    }

    @Test("A function whose type the worker does not know is not started, and its slot is free again")
    func unknownType() {
        dispatch("other")
        #expect(notebook.notes.isEmpty)
        #expect(ends() == [.notStarted("The worker w1 runs no operations of type other.")])
        #expect(shell.session.runningCount == 0)
    }

    @Test("A function without a thread is returned, and the coordinator is told of the fault until a function starts")
    func noThread() {
        notebook.isFull = true
        dispatch("echo")
        let fault = "The operation was not started: \(ThreadFailure(code: 11))."
        #expect(notebook.messages.contains(.health(shell.session.session, fault: fault)))
        #expect(ends() == [.workerFault(fault, hasRun: false)])
        notebook.isFull = false
        dispatch("echo", 2)
        #expect(notebook.take().messages.contains(.health(shell.session.session, fault: nil)))
        dispatch("echo", 3)
        #expect(!notebook.take().messages.contains(.health(shell.session.session, fault: nil)))
    }

    @Test("A function ends once at its timeout, which is the next deadline if nothing else is due before")
    func timeout() {
        dispatch("echo", 1, timeout: .milliseconds(100))
        dispatch("echo", 2, timeout: .milliseconds(300))
        turn()
        _ = notebook.take()
        notebook.now += .milliseconds(50)
        turn()
        #expect(notebook.take().notes.isEmpty)
        #expect(shell.nextDeadline == .milliseconds(100))
        notebook.now = .milliseconds(100)
        turn()
        #expect(notebook.take().notes == ["timeout"])
        #expect(shell.nextDeadline == .milliseconds(300))
        turn()
        #expect(notebook.take().notes.isEmpty)
    }

    @Test("A silent connection is looked at before the silence has consequences")
    func silence() {
        for _ in 0..<20 {
            notebook.now += .milliseconds(500)
            turn()
        }
        let notes = notebook.take().notes
        #expect(notes.contains("look") && !notes.contains("close"))
    }

    @Test("The log tells each loss of the coordinator, also one in the turn of its welcome, and none at the end")
    func lostCoordinator() throws {
        turn(.connectionLost)
        reconnect()
        turn(welcome, .connectionLost)
        reconnect()
        turn(welcome)
        #expect(turn(.stopRequested) == .stopped)
        try log.fileHandleForWriting.close()
        let text = String(decoding: try log.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        #expect(text.components(separatedBy: "lost the coordinator").count - 1 == 2)
    }

    /// Opens the next connection once it is due.
    private func reconnect() {
        notebook.now += .seconds(60)
        turn()
        turn(.connectionOpened)
    }

    @Test("A second stop at once kills everything, says goodbye, and ends the worker")
    func stopAtOnce() {
        turn(.message(.dispatch(batch([token(1)]))))
        dispatch("echo", 2)
        _ = notebook.take()
        #expect(turn(.message(.stop(isImmediate: true))) == nil)
        #expect(notebook.take().notes == ["end 1", "cancel: leaving"])
        #expect(turn(.message(.stop(isImmediate: true))) == .stopped)
        let (notes, messages) = notebook.take()
        #expect(notes.prefix(2) == ["kill", "cancel: leaving"] && shell.hasSaidGoodbye)
        #expect(messages.contains(.goodbye(shell.session.session)))
    }
}
