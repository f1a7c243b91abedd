@_spi(Baton) import BatonArguments
import Synchronization

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// The terminal as a screen of its own, which gives way to the earlier contents at the end.
final class TopScreen: Sendable {
    /// Begins the alternate screen, without a cursor.
    private static let entry = Array("\u{1B}[?1049h\u{1B}[?25l".utf8)
    /// Ends the alternate screen.
    private static let exit = Array("\u{1B}[?25h\u{1B}[?1049l".utf8)

    private let isOpen = Mutex(true)
    private let keys: TerminalKey?

    /// Whether the terminal passes keys on.
    var hasKeys: Bool { keys != nil }

    /// Takes the terminal over.
    ///
    /// - Parameter onKeys: called with keys that were pressed, on a thread of its own; returns whether there may be more.
    init(onKeys: @escaping @Sendable ([TypedKey]) -> Bool) throws {
        // Signals from keys would leave the screen as it is; Ctrl-C comes as a key instead.
        keys = TerminalKey { onKeys(TypedKey.keys(in: $0)) }
        do {
            try Output.write(Self.entry, to: STDOUT_FILENO)
        } catch {
            leave()
            throw error
        }
    }

    /// Draws lines from the top, and clears the rest.
    func draw(_ lines: [String]) throws {
        let text = lines.map { Output.shown($0) + "\u{1B}[K" }.joined(separator: "\r\n")
        try isOpen.withLock { isOpen in
            guard isOpen else { return }
            try Output.write(Array(("\u{1B}[H" + text + "\u{1B}[J").utf8), to: STDOUT_FILENO)
        }
    }

    /// Gives the terminal to the shell, and takes it over again once the process is continued in the foreground.
    func suspend() throws {
        guard let keys else { return }
        try isOpen.withLock { isOpen in
            guard isOpen else { return }
            try Output.write(Self.exit, to: STDOUT_FILENO)
            keys.suspendProcess()
            try Output.write(Self.entry, to: STDOUT_FILENO)
        }
    }

    /// Gives the terminal back; a second call has no effect.
    func leave() {
        let wasOpen = isOpen.withLock { isOpen in
            defer { isOpen = false }
            return isOpen
        }
        guard wasOpen else { return }
        keys?.stop()
        _ = try? Output.write(Self.exit, to: STDOUT_FILENO)
    }
}
