import Foundation
import Testing

/// A child process of a test, with output for the test to wait for.
final class ChildProcess: Sendable {
    private struct State: Sendable {
        var output: [UInt8] = []
        var errors: [UInt8] = []
        /// The exit status, or 128 and the number of a signal, after the end of the process and of its streams.
        var status: Int32?
        /// The signal that ended the process; nil for an exit.
        var endingSignal: Int32?
    }

    let processID: pid_t
    private let state = Observed(State())

    /// Starts a program in a session of its own, and so in a process group of its own and without the terminal of the tests.
    ///
    /// - Parameter input: the file for standard input.
    init(
        _ program: String,
        _ arguments: [String],
        environment: [String: String],
        directory: String,
        input: String = "/dev/null"
    ) throws {
        let (output, errors) = (try Pipe(in: directory), try Pipe(in: directory))
        defer {
            unlink(output.path)
            unlink(errors.path)
        }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, input, O_RDONLY, 0)
        posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, output.path, O_WRONLY, 0)
        posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, errors.path, O_WRONLY, 0)

        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        // Signals have their default actions in the child, as in a terminal, whatever the test runner has set.
        var signals = sigset_t()
        sigfillset(&signals)
        posix_spawnattr_setsigdefault(&attributes, &signals)
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        // In spawn.h, behind a macro that Swift does not see.
        let newSession: Int32 = 0x80
        posix_spawnattr_setflags(
            &attributes,
            Int16(POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK | newSession)
        )

        // A shell changes the directory, as posix_spawn has no portable way to do so.
        let inDirectory = ["/bin/sh", "-c", "cd \"$0\" && exec \"$@\"", directory, program]
        var argv = (inDirectory + arguments).map { strdup($0) } + [nil]
        var envp = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { for text in argv + envp { free(text) } }
        var processID: pid_t = 0
        let code = posix_spawn(&processID, "/bin/sh", &actions, &attributes, &argv, &envp)
        guard code == 0 else {
            close(output.descriptor)
            close(errors.descriptor)
            throw Failure("\(program) cannot be started: \(String(cString: strerror(code)))")
        }
        self.processID = processID
        let state = state
        Thread.detachNewThread { [processID] in
            Self.read(output.descriptor, errors.descriptor) { isError, bytes in
                state.update { state in
                    if isError { state.errors += bytes } else { state.output += bytes }
                }
            }
            // Reap the process only under the lock, so that no signal goes to another process with the same number.
            var info = siginfo_t()
            while waitid(P_PID, id_t(processID), &info, WEXITED | WNOWAIT) != 0, errno == EINTR {}
            state.update { state in
                var status: Int32 = 0
                waitpid(processID, &status, 0)
                let signal = status & 0x7f
                state.status = signal == 0 ? (status >> 8) & 0xff : 128 + signal
                state.endingSignal = signal == 0 ? nil : signal
            }
        }
    }

    /// The standard output so far.
    var output: [UInt8] { state.value.output }

    /// The standard output so far, as text.
    var outputText: String { String(decoding: state.value.output, as: UTF8.self) }

    /// The standard error so far, as text.
    var errorText: String { String(decoding: state.value.errors, as: UTF8.self) }

    /// Sends a signal to the process, unless it has ended.
    func signal(_ number: Int32) {
        state.update { state in
            if state.status == nil { kill(processID, number) }
        }
    }

    /// The signal that ended the process; nil for an exit, and before the end.
    var endingSignal: Int32? { state.value.endingSignal }

    /// Whether the process has not ended yet.
    var isRunning: Bool { state.value.status == nil }

    /// Stops the process until SIGCONT, and returns after the stop.
    func pause() {
        signal(SIGSTOP)
        var info = siginfo_t()
        while waitid(P_PID, id_t(processID), &info, WSTOPPED | WNOWAIT) != 0, errno == EINTR {}
    }

    /// Waits until the process has ended and its output is complete.
    ///
    /// - Returns: the exit status, or 128 and the number of the signal that ended the process.
    @discardableResult
    func end() async throws -> Int32 {
        try await state.wait { $0.status != nil }
        return try #require(state.value.status)
    }

    /// Waits for a text in the standard error.
    ///
    /// - Returns: the line with the text.
    @discardableResult
    func error(containing text: String) async throws -> String {
        try await state.wait { state in
            state.status != nil || Self.line(of: state.errors, containing: text) != nil
        }
        let line = Self.line(of: state.value.errors, containing: text)
        return try #require(line, "no \"\(text)\" in: \(errorText)")
    }

    /// Waits for a text in the standard output.
    func output(containing text: String) async throws {
        try await state.wait { state in
            state.status != nil || Self.line(of: state.output, containing: text) != nil
        }
        let line = Self.line(of: output, containing: text)
        try #require(line != nil, "no \"\(text)\" in: \(outputText)")
    }

    /// Waits until a condition holds for the standard output.
    func output(until isMet: @escaping @Sendable ([UInt8]) -> Bool) async throws {
        try await state.wait { $0.status != nil || isMet($0.output) }
        try #require(isMet(output), "it has ended with: \(outputText)\(errorText)")
    }

    private static func line(of bytes: [UInt8], containing text: String) -> String? {
        String(decoding: bytes, as: UTF8.self).split(separator: "\n").first { $0.contains(text) }.map(String.init)
    }

    /// A named pipe that only the child opens for writing, although other tests start programs at the same time.
    private struct Pipe {
        let path: String
        let descriptor: Int32

        init(in directory: String) throws {
            path = "\(directory)/stream-\(UUID().uuidString)"
            let isMade = mkfifo(path, 0o600) == 0
            descriptor = isMade ? open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC) : -1
            guard descriptor >= 0 else { throw Failure("no pipe at \(path): \(String(cString: strerror(errno)))") }
        }
    }

    /// Reads both streams to their ends.
    private static func read(_ output: Int32, _ errors: Int32, _ body: (_ isError: Bool, [UInt8]) -> Void) {
        var items = [output, errors].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while items.contains(where: { $0.fd >= 0 }) {
            guard poll(&items, nfds_t(items.count), -1) > 0 else { continue }
            for index in items.indices where items[index].fd >= 0 && items[index].revents != 0 {
                let count = Foundation.read(items[index].fd, &buffer, buffer.count)
                if count > 0 {
                    body(index == 1, Array(buffer[..<count]))
                } else if count == 0 || (errno != EINTR && errno != EAGAIN) {
                    close(items[index].fd)
                    items[index].fd = -1
                }
            }
        }
    }
}

/// The reason why a test cannot go on.
struct Failure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
