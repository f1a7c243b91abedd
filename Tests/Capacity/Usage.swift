/// What a coordinator has used and moved in a part of a run.
package struct Usage: Hashable, Sendable {
    /// The processor time of its decisions: reading messages, deciding, writing messages.
    package var deciding = Duration.zero
    /// The processor time of its recorder: SQLite on a disk in memory.
    package var recording = Duration.zero
    /// The processor time of the longest turn, without the time of the recorder, which has a thread of its own.
    package var longestTurn = Duration.zero
    /// The number of messages from workers and clients.
    package var received = 0
    /// The bytes of these messages.
    package var receivedBytes = 0
    /// The number of messages to workers and clients.
    package var sent = 0
    /// The bytes of these messages.
    package var sentBytes = 0
    /// The number of batches that were given to the recorder, each of which is committed as a whole.
    package var batches = 0
    /// The number of changes in these batches.
    package var changes = 0

    /// Nothing yet.
    package init() {}
}
