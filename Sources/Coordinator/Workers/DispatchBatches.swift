@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonScheduler
@_spi(Baton) import BatonWire

/// The dispatches of one turn of the loop.
///
/// Owns the attempts that are not sent yet, in one message for each worker's session. Guarantees that a session's attempts
/// stay in the order of their dispatch.
struct DispatchBatches {
    private var builders: [SessionID: DispatchBuilder] = [:]

    /// The messages, in the order of the sessions.
    var all: [(key: SessionID, value: DispatchBuilder)] { builders.inOrder }

    /// Whether the message of an attempt's session stays short enough with the attempt's standard input.
    func hasRoom(for dispatch: Dispatch) -> Bool { builders[dispatch.session]?.hasRoom(for: dispatch) ?? true }

    /// Adds an attempt to the message of its session.
    ///
    /// The message consumes the dispatch, which saves a copy for each dispatch.
    mutating func add(_ dispatch: consuming Dispatch) {
        builders[dispatch.session, default: DispatchBuilder()].add(dispatch)
    }

    /// Removes and returns the message of a session; nil if the session has no attempts to receive.
    mutating func take(for session: SessionID) -> DispatchBatch? { builders.removeValue(forKey: session)?.batch }

    /// Forgets all messages, after the messages are sent.
    mutating func removeAll() { builders.removeAll(keepingCapacity: true) }
}
