@_spi(Baton) import BatonArguments
@_spi(Baton) import BatonProcesses
@_spi(Baton) import BatonThreads
import Synchronization

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Waits for a key on the terminal that the process runs on, without the need for the Enter key.
///
/// Meanwhile the terminal shows no typed text; Ctrl-C, Ctrl-Z and the like keep their effects. The terminal gets its earlier mode
/// back at ``stop()``. In the background, the process reads no keys.
final class TerminalKey: Sendable {
    private struct State {
        /// The mode of the terminal before it was changed; nil while it is not changed.
        var earlier: termios?
        var isReading = false
        var isOver = false
    }

    private let key: UInt8
    private let onPress: @Sendable () -> Void
    private let state = Mutex(State())

    /// Starts to wait for a key; nil unless all three standard streams are a terminal.
    ///
    /// A program that reads the output, such as a pager, wants the keys of the terminal for itself.
    ///
    /// - Parameter onPress: called once for each press, on a thread of its own.
    init?(_ key: Character, onPress: @escaping @Sendable () -> Void) {
        guard let key = key.asciiValue, isatty(STDIN_FILENO) == 1, Terminal.isStandardOutput, Terminal.isStandardError
        else { return nil }
        self.key = key
        self.onPress = onPress
        // A shell sets the terminal's mode for itself when Ctrl-Z stops this process.
        _ = SignalWatcher(of: [SIGCONT]) { [weak self] _, _ in self?.resume() }
        resume()
    }

    /// Gives the terminal its earlier mode back, and waits for no more keys.
    func stop() {
        state.withLock { state in
            state.isOver = true
            // In the background, the mode is that of another program.
            guard var mode = state.earlier, Self.isInForeground else { return }
            tcsetattr(STDIN_FILENO, TCSANOW, &mode)
            state.earlier = nil
        }
    }

    /// Sets the mode in which the terminal passes each key on, and reads keys, unless the process is in the background.
    private func resume() {
        guard Self.isInForeground else { return }
        let reads = state.withLock { state -> Bool in
            var mode = termios()
            guard !state.isOver, tcgetattr(STDIN_FILENO, &mode) == 0 else { return false }
            if state.earlier == nil { state.earlier = mode }
            mode.c_lflag &= ~tcflag_t(ICANON | ECHO)
            tcsetattr(STDIN_FILENO, TCSANOW, &mode)
            defer { state.isReading = true }
            return !state.isReading
        }
        guard reads else { return }
        do {
            try SystemThread.detach { [weak self] in self?.read() }
        } catch {
            // Without room for a thread there is no key; signals still work.
            stop()
        }
    }

    /// Reads keys until the process is in the background or the terminal has gone.
    ///
    /// The thread blocks all signals, so that a read in the background fails instead of stopping the process.
    private func read() {
        var byte: UInt8 = 0
        while true {
            let count = Self.systemRead(&byte)
            if count == 1, byte == key, !state.withLock({ $0.isOver }) { onPress() }
            guard count == 1 || count < 0 && errno == EINTR else { break }
        }
        state.withLock { $0.isReading = false }
    }

    private static var isInForeground: Bool { tcgetpgrp(STDIN_FILENO) == getpgrp() }

    private static func systemRead(_ byte: inout UInt8) -> Int {
        #if canImport(Darwin)
            Darwin.read(STDIN_FILENO, &byte, 1)
        #else
            Glibc.read(STDIN_FILENO, &byte, 1)
        #endif
    }
}
