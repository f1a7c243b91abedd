@_spi(Baton) import BatonKeys
import Foundation
@_spi(Baton) import BatonTestSockets
import Testing
@_spi(Baton) import BatonZeroMQ

/// A coordinator and workers as real processes, in their own directory, for one test.
///
/// ``withCluster(workers:slots:coordinator:_:)`` ends all processes and removes the directory after any outcome of a test.
final class TestCluster {
    /// The output and the exit status of a command.
    struct CommandResult: CustomStringConvertible {
        var status: Int32
        var bytes: [UInt8]
        var errors: String

        var output: String { String(decoding: bytes, as: UTF8.self) }

        /// The output without the line's end.
        var line: String { output.trimmingCharacters(in: .newlines) }

        var description: String { "status \(status)\n--- output\n\(output)--- errors\n\(errors)" }
    }

    /// The directory of the test: `BATON_HOME`, gates and files.
    let home: URL
    /// Where the coordinator listens, once it does.
    private(set) var endpoint = ""
    private(set) var coordinator: ChildProcess?
    private(set) var workers: [String: ChildProcess] = [:]
    private var others: [ChildProcess] = []
    /// Commands that run until the test ends them.
    private var watchers: [ChildProcess] = []
    /// A gate opens when it is forgotten.
    private var gates: [Gate] = []
    private let coordinatorArguments: [String]
    /// A command that starts the coordinator, followed by the coordinator's command line; empty to start the
    /// coordinator directly.
    var launcher: [String] = []

    /// - Parameter coordinatorArguments: the coordinator's arguments beside its address, at each start. Without limits for silent
    ///   workers among them, no worker is suspect or lost because of its silence: a busy machine may stop a process for minutes.
    init(coordinatorArguments: [String] = []) throws {
        let hasLimits = coordinatorArguments.contains { ["--suspect-after", "--lost-after"].contains($0) }
        let patience = hasLimits ? [] : ["--suspect-after", "1h", "--lost-after", "1h"]
        self.coordinatorArguments = patience + coordinatorArguments
        home = FileManager.default.temporaryDirectory.appending(path: "baton-test-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: home, withIntermediateDirectories: true)
    }

    /// The program under test, beside the test bundle.
    static let program = builtProgram("baton")
    /// A worker with types of its own.
    private static let sampleWorker = builtProgram("sample-worker")

    /// The path of a program of the package, beside the test bundle.
    static func builtProgram(_ name: String) -> String {
        let bundle = Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") }?.bundleURL
        let tests = bundle ?? URL(filePath: CommandLine.arguments[0])
        return tests.deletingLastPathComponent().appending(path: name).path
    }

    /// The environment of all processes: this process's variables without Baton's own, and the place of the test's
    /// cluster.
    ///
    /// The variable that turns on the checks of expensive invariants stays.
    var environment: [String: String] {
        var result = ProcessInfo.processInfo.environment.filter {
            !$0.key.hasPrefix("BATON_") || $0.key == "BATON_CHECK_INVARIANTS"
        }
        result["BATON_HOME"] = home.path
        result["BATON_COORDINATOR"] = endpoint.isEmpty ? nil : endpoint
        result["TMPDIR"] = home.path
        result["NO_COLOR"] = "1"
        return result
    }

    /// The host and the port of the coordinator's endpoint.
    var address: (host: String, port: UInt16) {
        get throws {
            let parts = endpoint.dropFirst("tcp://".count).split(separator: ":")
            return (String(try #require(parts.first)), try #require(parts.last.flatMap { UInt16($0) }))
        }
    }

    /// A command line whose workers leave the control group of the tests alone, which belongs to others.
    private static func withoutControlGroups(_ arguments: [String]) -> [String] {
        guard ["worker", "start"].contains(arguments.first), !arguments.contains("--memory-control") else {
            return arguments
        }
        return arguments.prefix(1) + ["--memory-control", "sampling"] + arguments.dropFirst()
    }

    /// A command line without the web interface, whose usual port only one coordinator of a host can have.
    private static func withoutHTTP(_ arguments: [String]) -> [String] {
        arguments.contains("--http") ? arguments : arguments + ["--http", "off"]
    }

    // MARK: - Long-lived processes

    /// The file with the key that the coordinator has made for a role.
    func keyFile(of role: Role) throws -> String {
        let directory = home.appending(path: "keys")
        let names = try FileManager.default.contentsOfDirectory(atPath: directory.path)
        let name = try #require(names.first { $0.hasSuffix(".\(role)") })
        return directory.appending(path: name).path
    }

    /// The shell command that gives the following commands a key that the coordinator has made, whatever their home and user.
    func giveKey(of role: Role) throws -> String { "export BATON_KEY=\"$(cat '\(try keyFile(of: role))')\"" }

    /// The protection of a connection with the key that the coordinator has made for a role.
    func security(as role: Role) throws -> SocketSecurity {
        let lookup = KeyLookup(environment: [:], directory: KeyDirectory(home: home.path))
        return try lookup.access(for: [role], at: endpoint).security
    }

    /// Starts the coordinator, at a free port the first time and at the same port afterwards.
    ///
    /// - Parameter openFiles: the limit of open files, unless the coordinator raises it.
    func startCoordinator(openFiles: Int? = nil) async throws {
        let listen = endpoint.isEmpty ? LoopbackAddress.unique() : endpoint
        let arguments = Self.withoutHTTP(["coordinator", "--listen", listen] + coordinatorArguments)
        let process = try start(arguments, openFiles: openFiles, through: launcher)
        coordinator = process
        try await noteEndpoint(of: process)
    }

    /// Starts a worker, and returns once the coordinator has received it.
    ///
    /// - Parameters:
    ///   - directory: the directory of the worker's state, within the test's directory; by default the latter.
    ///   - labels: the labels.
    ///   - resources: the units of named resources.
    ///   - options: more options.
    ///   - openFiles: the limit of open files, unless the worker raises it.
    ///   - awaitsWelcome: whether to wait for the coordinator; false while none runs.
    func startWorker(
        _ name: String,
        slots: Int = 1,
        in directory: String = "",
        labels: [String: String] = [:],
        resources: [String: Int] = [:],
        options: [String] = [],
        openFiles: Int? = nil,
        awaitsWelcome: Bool = true
    ) async throws {
        let state = home.appending(path: directory).path
        // What runs is ended at once, unless a test is about the wait.
        let drain = options.contains("--drain-timeout") ? [] : ["--drain-timeout", "0s"]
        let offer =
            labels.map { "--label=\($0.key)=\($0.value)" } + resources.map { "--resource=\($0.key)=\($0.value)" }
        let arguments =
            ["worker", "--name", name, "--slots", "\(slots)", "--home", state] + drain + offer + options
        // Another home has no keys of its own.
        let keys = directory.isEmpty ? [:] : ["BATON_KEY_FILE": try keyFile(of: .worker)]
        let process = try start(arguments, openFiles: openFiles, environment: keys)
        workers[name] = process
        if awaitsWelcome { try await process.error(containing: "welcomed") }
    }

    /// Starts a worker for the sample operations, and returns once the coordinator has received the worker.
    func startSampleWorker(_ name: String, slots: Int) async throws {
        let process = try ChildProcess(
            Self.sampleWorker,
            [endpoint, name, "\(slots)", home.appending(path: "workers/\(name)").path],
            environment: environment,
            directory: home.path
        )
        others.append(process)
        workers[name] = process
        try await process.error(containing: "welcomed")
    }

    /// Starts an example program, which goes on beside the test.
    func start(example name: String, _ arguments: [String]) throws -> ChildProcess {
        let process = try ChildProcess(
            Self.builtProgram(name),
            arguments,
            environment: environment,
            directory: home.path
        )
        others.append(process)
        return process
    }

    /// Starts an example program as a worker, and returns once the coordinator has received the worker.
    ///
    /// - Parameter name: the name of the worker for the test; the coordinator knows another one.
    func startWorker(example: String, as name: String) async throws {
        let process = try start(example: example, ["worker"])
        workers[name] = process
        try await process.error(containing: "welcomed")
    }

    /// Starts `baton start`, and returns once the coordinator listens.
    func startAll(_ arguments: String...) async throws -> ChildProcess {
        let process = try start(Self.withoutHTTP(["start", "--coordinator", "tcp://127.0.0.1:*"] + arguments))
        try await noteEndpoint(of: process)
        return process
    }

    /// Starts `baton start --background`, at a free port the first time and at the same port afterwards.
    ///
    /// - Returns: the id of the process in the background.
    func startInBackground(_ arguments: String...) async throws -> pid_t {
        let address = endpoint.isEmpty ? LoopbackAddress.unique() : endpoint
        let options = ["--coordinator", address, "--http", "off", "--suspect-after", "1h", "--lost-after", "1h"]
        let result = try await baton(["start", "--background", "--json"] + options + arguments)
        try #require(result.status == 0, "\(result)")
        let document = try JSONValue(parsing: result.output)
        endpoint = document.coordinator.string
        return pid_t(document.processID.int)
    }

    /// Waits for a coordinator that a test has started by itself, and lets the commands of the test use it.
    func noteEndpoint(of process: ChildProcess) async throws {
        let line = try await process.error(containing: "listening")
        let field = try #require(line.split(separator: " ").first { $0.hasPrefix("address=") }, "\(line)")
        endpoint = String(field.dropFirst("address=".count))
    }

    /// Ends the coordinator by a signal, and starts it again on the same record and port.
    func restartCoordinator(with signal: Int32) async throws {
        coordinator?.signal(signal)
        let status = try await coordinator?.end()
        #expect(status == (signal == SIGKILL ? 128 + SIGKILL : 0))
        try await startCoordinator()
    }

    /// Starts a command on its own terminal; the output has the text of both streams.
    func startOnTerminal(_ arguments: String...) throws -> ChildProcess { try startOnTerminal(arguments) }

    /// Starts a command on its own terminal; the output has the text of both streams.
    ///
    /// - Parameter input: the file with what is typed.
    func startOnTerminal(_ arguments: [String], input: String = "/dev/null") throws -> ChildProcess {
        try startOnTerminal(command: [Self.program] + arguments, input: input)
    }

    /// Starts any program on its own terminal.
    ///
    /// The shell of `script` is replaced: as the leader of the terminal's session, it would die of Ctrl-\\ before the program has
    /// ended, and the terminal would hang up.
    func startOnTerminal(command: [String], input: String) throws -> ChildProcess {
        let process = try ChildProcess(
            "script",
            ["--quiet", "--return", "--command", "exec " + Self.quoted(command), "/dev/null"],
            environment: environment.merging(["TERM": "xterm", "SHELL": "/bin/sh"]) { $1 },
            directory: home.path,
            input: input
        )
        others.append(process)
        return process
    }

    /// Starts a command that goes on beside the test, with a limit of open files and through another program.
    func start(
        _ arguments: [String],
        openFiles: Int?,
        through launcher: [String] = [],
        environment more: [String: String] = [:]
    ) throws -> ChildProcess {
        let limiting = openFiles.map { ["/bin/sh", "-c", "ulimit -S -n \($0); exec \"$0\" \"$@\""] } ?? []
        let command = launcher + limiting + [Self.program] + Self.withoutControlGroups(arguments)
        let process = try ChildProcess(
            command[0],
            Array(command.dropFirst()),
            environment: environment.merging(more) { $1 },
            directory: home.path
        )
        others.append(process)
        return process
    }

    /// Starts a command that goes on beside the test.
    func start(_ arguments: [String], environment more: [String: String] = [:]) throws -> ChildProcess {
        let process = try ChildProcess(
            Self.program,
            Self.withoutControlGroups(arguments),
            environment: environment.merging(more) { $1 },
            directory: home.path
        )
        others.append(process)
        return process
    }

    /// Starts a command that goes on beside the test.
    func start(_ arguments: String...) throws -> ChildProcess { try start(arguments) }

    /// Words for a shell.
    private static func quoted(_ words: [String]) -> String { words.map { "'\($0)'" }.joined(separator: " ") }

    /// Watches the events after a number; all kept events by default.
    func watch(since number: Int = 0) throws -> Watcher {
        let process = try start("watch", "--json", "--since", "\(number)")
        watchers.append(process)
        return Watcher(process: process)
    }

    /// Starts a shell script that goes on beside the test.
    func start(script: String) throws -> ChildProcess {
        let process = try ChildProcess(
            "/bin/sh",
            ["-c", script],
            environment: environment,
            directory: home.path
        )
        others.append(process)
        return process
    }

    // MARK: - Commands

    /// Runs a command to its end.
    @discardableResult
    func baton(_ arguments: String..., input: String? = nil) async throws -> CommandResult {
        try await baton(arguments, input: input)
    }

    /// Runs a command to its end.
    func baton(_ arguments: [String], input: String? = nil) async throws -> CommandResult {
        let file = try input.map { try write($0, to: "input-\(UUID().uuidString)") }
        let process = try ChildProcess(
            Self.program,
            Self.withoutControlGroups(arguments),
            environment: environment,
            directory: home.path,
            input: file ?? "/dev/null"
        )
        others.append(process)
        let status = try await process.end()
        return CommandResult(status: status, bytes: process.output, errors: process.errorText)
    }

    /// Runs `submit` with more arguments, and returns the job's number.
    func submit(
        _ arguments: String...,
        input: String? = nil,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> String {
        let result = try await baton(["submit"] + arguments, input: input)
        try #require(result.status == 0 && Int(result.line) != nil, "\(result)", sourceLocation: sourceLocation)
        return result.line
    }

    /// Submits a shell script as one operation, and returns the job's number.
    func submit(
        script: String,
        _ options: String...,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> String {
        let result = try await baton(["submit"] + options + ["--", "sh", "-c", script])
        try #require(result.status == 0 && Int(result.line) != nil, "\(result)", sourceLocation: sourceLocation)
        return result.line
    }

    /// The JSON document that a command prints.
    func json(_ arguments: String..., sourceLocation: SourceLocation = #_sourceLocation) async throws -> JSONValue {
        let result = try await baton(arguments + ["--json"])
        try #require(result.status == 0, "\(result)", sourceLocation: sourceLocation)
        return try JSONValue(parsing: result.output)
    }

    /// The document that `show` prints for a job or an operation.
    func show(_ address: String, sourceLocation: SourceLocation = #_sourceLocation) async throws -> JSONValue {
        try await json("show", address, sourceLocation: sourceLocation)
    }

    /// The exit status of `wait`.
    func wait(_ addresses: String...) async throws -> Int32 {
        try await baton(["wait"] + addresses).status
    }

    /// The words of all calls of ``note(_:)`` in operations, in order.
    var notes: [String] { read("notes").split(separator: "\n").map(String.init) }

    /// The shell command that notes a word; the system appends such a short line as a whole.
    func note(_ word: String) -> String { "echo \(word) >> '\(home.path)/notes'" }

    // MARK: - Files

    /// Writes a file into the test's directory.
    @discardableResult
    func write(_ text: String, to name: String) throws -> String {
        let file = home.appending(path: name)
        try Data(text.utf8).write(to: file)
        return file.path
    }

    /// Reads a file of the test's directory; empty without such a file.
    func read(_ name: String) -> String {
        (try? String(contentsOf: home.appending(path: name), encoding: .utf8)) ?? ""
    }

    /// Makes a gate that an operation waits at.
    func gate(_ name: String = UUID().uuidString) throws -> Gate {
        let gate = try Gate(home.appending(path: "gate-\(name)").path)
        gates.append(gate)
        return gate
    }

    /// The shell command that waits at a named gate; the name may contain `{}` or a variable.
    func waitAtGate(_ name: String) -> String { "{ read x < '\(home.path)/gate-'\(name) || :; }" }

    // MARK: - The end

    /// Ends the workers and the coordinator like a service manager, and expects that no process is left.
    func stop() async throws {
        for watcher in watchers { watcher.signal(SIGTERM) }
        for watcher in watchers { try await watcher.end() }
        for worker in workers.values { worker.signal(SIGTERM) }
        for worker in workers.values { try await worker.end() }
        coordinator?.signal(SIGTERM)
        try await coordinator?.end()
        let left = ProcessesOfTest.all(of: home.path).map(\.command)
        #expect(left == [], "processes are left")
    }

    /// Kills all processes of the test, and removes the directory.
    func remove() async {
        for process in ProcessesOfTest.all(of: home.path) { kill(process.processID, SIGKILL) }
        for process in others { process.signal(SIGKILL) }
        for process in others { _ = try? await process.end() }
        try? FileManager.default.removeItem(at: home)
    }
}

/// Runs a test with a coordinator and workers `w1`, `w2` and so on, and ends all of it afterwards.
///
/// - Parameters:
///   - workers: how many; nil starts nothing at all.
///   - arguments: more arguments of the coordinator.
func withCluster(
    workers: Int? = 1,
    slots: Int = 1,
    coordinator arguments: [String] = [],
    _ body: (TestCluster) async throws -> Void
) async throws {
    let cluster = try TestCluster(coordinatorArguments: arguments)
    do {
        if let workers {
            try await cluster.startCoordinator()
            for number in 0..<workers { try await cluster.startWorker("w\(number + 1)", slots: slots) }
        }
        try await body(cluster)
        try await cluster.stop()
    } catch {
        await cluster.remove()
        throw error
    }
    await cluster.remove()
}
