@_spi(Baton) import BatonWire
import Synchronization

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// A line of make that runs in another process, and whose operation this process submits and follows.
///
/// The line's own thread of the server reads from it; any task writes to it.
final class ServedLine: Sendable {
    private struct State {
        /// The connected socket; nil once the line has gone.
        var socket: Int32?
        /// The task that waits until the line has written a piece of output.
        var writing: CheckedContinuation<Confirmation, Never>?
        var task: Task<Void, Never>?
        /// The attempt whose output the line has got last.
        var attempt: UInt32 = 1
    }

    /// What has become of a piece of output.
    private enum Confirmation {
        case written
        case unwritable(Int32)
        case gone
    }

    /// The line whose sentences and output the present task writes; nil for those of this process.
    @TaskLocal static var current: ServedLine?

    /// The most bytes of a piece of output, at most ``LineFrame/longestContent``.
    ///
    /// They are far less than the buffer of a socket, so that a line that does not read holds nobody up.
    private static let pieceLength = 1 << 15

    /// The signals of the line.
    let interruption = Interruption.ofOtherProcess()
    let lateAnswer = LateAnswer()
    private let state: Mutex<State>

    /// Takes over a connected socket.
    init(over socket: Int32) {
        state = Mutex(State(socket: socket))
    }

    deinit { close() }

    // MARK: - To the line

    /// Has the line write output, and waits until it has.
    ///
    /// - Parameters:
    ///   - bytes: the output.
    ///   - stream: the stream.
    ///   - attempt: the attempt that has written the output; the line has all output that it gets of earlier ones.
    /// - Throws: what ``Output/write(_:to:)`` throws in the line's place, and `CancellationError` once the line has gone.
    func write(_ bytes: [UInt8], _ stream: OutputStream, attempt: UInt32) async throws {
        state.withLock { state -> Void in
            guard state.attempt != attempt else { return }
            state.attempt = attempt
            _ = Self.send(LineFrame(.attempt, number: Int32(truncatingIfNeeded: attempt)), &state)
        }
        let kind = stream == .standardError ? LineFrame.Kind.standardError : .standardOutput
        var rest = bytes[...]
        while !rest.isEmpty {
            let frame = LineFrame(kind, Array(rest.prefix(Self.pieceLength)))
            rest = rest.dropFirst(Self.pieceLength)
            let confirmation = await withCheckedContinuation {
                (continuation: CheckedContinuation<Confirmation, Never>) in
                let isSent = state.withLock { state -> Bool in
                    guard Self.send(frame, &state) else { return false }
                    state.writing = continuation
                    return true
                }
                if !isSent { continuation.resume(returning: .gone) }
            }
            switch confirmation {
            case .written: continue
            case .unwritable(let code): throw Output.failure(code)
            case .gone: throw CancellationError()
            }
        }
    }

    /// Has the line write a sentence to its standard error.
    func note(_ bytes: [UInt8]) { send(LineFrame(.note, Array(bytes.prefix(LineFrame.longestContent)))) }

    /// Tells the line the key of its submission, with which it can repeat the submission.
    func tell(key: String) { send(LineFrame(.key, Array(key.utf8))) }

    /// Ends the line.
    func end(_ end: CommandEnd) {
        switch end {
        case .status(let status): send(LineFrame(.exit, number: status))
        case .signal(let number): send(LineFrame(.death, number: number))
        }
    }

    /// Has the line run in another way.
    func refuse() { send(LineFrame(.refusal)) }

    private func send(_ frame: LineFrame) { _ = state.withLock { Self.send(frame, &$0) } }

    /// Sends a frame; returns false if the line has gone.
    private static func send(_ frame: LineFrame, _ state: inout State) -> Bool {
        guard let socket = state.socket else { return false }
        let bytes = frame.bytes
        if systemSend(socket, bytes) == bytes.count { return true }
        // The reading thread notices the end.
        shutdown(socket, Int32(SHUT_RDWR))
        return false
    }

    // MARK: - From the line

    /// Notes the task that runs the line; without a connection, the task is cancelled.
    func begin(_ task: Task<Void, Never>) {
        let isOver = state.withLock { state -> Bool in
            state.task = task
            return state.socket == nil
        }
        if isOver { task.cancel() }
    }

    /// Takes a frame that comes while the line runs; returns false for one that cannot come then.
    func take(_ frame: LineFrame) -> Bool {
        switch frame.kind {
        case .written: return confirm(.written)
        case .unwritable:
            guard let code = frame.number else { return false }
            return confirm(.unwritable(code))
        case .signal:
            guard let number = frame.number else { return false }
            Self.$current.withValue(self) { interruption.take(number) }
            return true
        default: return false
        }
    }

    /// Closes the connection; the operation of the line goes on, as after the death of a `baton run`.
    func close() {
        let (task, writing) = state.withLock {
            state -> (Task<Void, Never>?, CheckedContinuation<Confirmation, Never>?) in
            if let socket = state.socket { closeSocket(socket) }
            state.socket = nil
            defer { state.writing = nil }
            return (state.task, state.writing)
        }
        writing?.resume(returning: .gone)
        task?.cancel()
    }

    private func confirm(_ confirmation: Confirmation) -> Bool {
        let writing = state.withLock { state -> CheckedContinuation<Confirmation, Never>? in
            defer { state.writing = nil }
            return state.writing
        }
        writing?.resume(returning: confirmation)
        return writing != nil
    }
}

/// Sends what the socket takes without blocking.
private func systemSend(_ socket: Int32, _ bytes: [UInt8]) -> Int {
    send(socket, bytes, bytes.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
}

private func closeSocket(_ socket: Int32) { close(socket) }
