@_spi(Baton) import BatonArguments
@_spi(Baton) import BatonProcesses
@_spi(Baton) import BatonThreads
import Synchronization

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Waits for keys on the terminal that the process runs on, without the need for the Enter key.
///
/// Meanwhile the terminal shows no typed text, and Ctrl-C, Ctrl-Z and the like come as keys. The terminal gets its earlier mode
/// back at ``stop()``. In the background, the process reads no keys.
final class TerminalKey: Sendable {
    private struct State {
        /// The mode of the terminal before it was changed; nil while it is not changed.
        var earlier: termios?
        var isReading = false
        var isOver = false
    }

    /// What a terminal does with typed text, and does not do meanwhile.
    private static let disabled = tcflag_t(ICANON | ECHO | ISIG)
    private let onBytes: @Sendable ([UInt8]) -> Bool
    private let state = Mutex(State())

    /// Starts to wait for keys; nil unless all three standard streams are a terminal.
    ///
    /// A program that reads the output, such as a pager, wants the keys of the terminal for itself.
    ///
    /// - Parameter onBytes: called with the bytes of a key, on a thread of its own; returns whether to wait for more keys. What is
    ///   typed behind the last key is left for the shell.
    init?(onBytes: @escaping @Sendable ([UInt8]) -> Bool) {
        guard isatty(STDIN_FILENO) == 1, Terminal.isStandardOutput, Terminal.isStandardError else { return nil }
        self.onBytes = onBytes
        // A shell sets the terminal's mode for itself when Ctrl-Z stops this process.
        _ = SignalWatcher(of: [SIGCONT]) { [weak self] _, _ in self?.resume() }
        resume()
    }

    /// Gives the terminal its earlier mode back, and waits for no more keys.
    func stop() {
        state.withLock { state in
            state.isOver = true
            Self.restoreMode(&state)
        }
    }

    /// Stops the process, as Ctrl-Z does elsewhere, until the process is continued in the foreground.
    ///
    /// The terminal has its earlier mode meanwhile. Without a shell that could continue the process, the call returns at once
    /// (the system discards the signal in an orphaned process group, setpgid(2)).
    func suspendProcess() {
        state.withLock { Self.restoreMode(&$0) }
        // The threads that run tasks block signals.
        var stop = sigset_t()
        var before = sigset_t()
        sigemptyset(&stop)
        sigaddset(&stop, SIGTSTP)
        pthread_sigmask(SIG_UNBLOCK, &stop, &before)
        defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
        repeat {
            // The other processes of the group get the signal from kill(2). raise(3) alone returns only after this process has
            // been continued.
            let earlier = signal(SIGTSTP, SIG_IGN)
            kill(0, SIGTSTP)
            signal(SIGTSTP, earlier)
            raise(SIGTSTP)
            // A process that goes on in the background has no terminal to draw on, so it stops again.
        } while tcgetpgrp(STDIN_FILENO) > 0 && !Self.isInForeground
        resume()
    }

    private static func restoreMode(_ state: inout State) {
        // In the background, the mode is that of another program.
        guard var mode = state.earlier, isInForeground else { return }
        tcsetattr(STDIN_FILENO, TCSANOW, &mode)
        state.earlier = nil
    }

    /// Sets the mode in which the terminal passes each key on, and reads keys, unless the process is in the background.
    private func resume() {
        guard Self.isInForeground else { return }
        let reads = state.withLock { state -> Bool in
            var mode = termios()
            guard !state.isOver, tcgetattr(STDIN_FILENO, &mode) == 0 else { return false }
            if state.earlier == nil { state.earlier = mode }
            mode.c_lflag &= ~Self.disabled
            tcsetattr(STDIN_FILENO, TCSANOW, &mode)
            defer { state.isReading = true }
            return !state.isReading
        }
        guard reads else { return }
        do {
            try SystemThread.detach(named: "terminal") { [weak self] in self?.read() }
        } catch {
            // Without room for a thread there is no key; signals still work.
            stop()
        }
    }

    /// Reads keys until the process is in the background or the terminal has gone.
    ///
    /// The thread blocks all signals, so that a read in the background fails instead of stopping the process.
    private func read() {
        var buffer = [UInt8](repeating: 0, count: 64)
        while true {
            var count = Self.systemRead(&buffer, 1)
            // The bytes of an arrow or of a character outside of ASCII come together.
            if count > 0, buffer[0] == 0x1B || buffer[0] >= 0x80, Self.hasInput {
                var rest = [UInt8](repeating: 0, count: buffer.count - 1)
                let more = max(0, Self.systemRead(&rest, rest.count))
                buffer.replaceSubrange(1..<1 + more, with: rest[..<more])
                count += more
            }
            if count > 0, !state.withLock({ $0.isOver }), !onBytes(Array(buffer[..<count])) {
                state.withLock { $0.isOver = true }
                break
            }
            guard count > 0 || count < 0 && errno == EINTR else { break }
        }
        state.withLock { $0.isReading = false }
    }

    private static var isInForeground: Bool { tcgetpgrp(STDIN_FILENO) == getpgrp() }

    /// Whether a read returns at once.
    private static var hasInput: Bool {
        var poll = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
        return systemPoll(&poll) == 1
    }

    private static func systemRead(_ buffer: inout [UInt8], _ count: Int) -> Int {
        #if canImport(Darwin)
            Darwin.read(STDIN_FILENO, &buffer, count)
        #else
            Glibc.read(STDIN_FILENO, &buffer, count)
        #endif
    }
}

private func systemPoll(_ descriptor: inout pollfd) -> Int32 { poll(&descriptor, 1, 0) }
