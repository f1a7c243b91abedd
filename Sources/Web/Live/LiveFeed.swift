@_spi(Baton) import BatonWire
import Synchronization

/// The topics of the streams that one key has open.
///
/// One task asks the coordinator about each topic once a tick, however many streams show it; more topics than ``mostOfTick`` take
/// turns, so that nobody keeps the coordinator busy with streams. The task ends with the last stream.
final class LiveFeed: Sendable {
    /// The most topics that are asked about in a tick, besides those without a document.
    static let mostOfTick = 64

    private struct Topic {
        var content = LiveContent()
        var readerCount = 0
    }

    private struct State {
        var topics: [LiveTopic: Topic] = [:]
        var readers: [UInt64: LiveReader] = [:]
        var nextReader: UInt64 = 0
        var tick = 0
        /// The topics that have not had their turn; filled again when all have had it.
        var turns: [LiveTopic] = []
        /// Whether all topics have to be asked about; otherwise those without a document.
        var isDue = true
        var isOver = false
        /// Waits for the next tick.
        var pause: Task<Void, Never>?
    }

    /// The questions of one look.
    private struct Round {
        var topics: [LiveTopic]
        var isTick: Bool
        var tick: Int
    }

    private let connection: any WebConnection
    private let pace: LivePace
    private let rings: AsyncStream<Void>
    private let bell: AsyncStream<Void>.Continuation
    private let state = Mutex(State())

    /// Makes a feed, which asks by a connection of its own.
    init(_ connection: any WebConnection, _ pace: LivePace) {
        self.connection = connection
        self.pace = pace
        (rings, bell) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// The numbers of streams and of topics.
    var counts: (readers: Int, topics: Int) { state.withLock { ($0.readers.count, $0.topics.count) } }

    /// Adds a stream.
    ///
    /// - Returns: the number of the stream in the feed; nil if the feed is over.
    func add(_ reader: LiveReader) -> UInt64? {
        let number = state.withLock { state -> UInt64? in
            guard !state.isOver else { return nil }
            for topic in reader.topics { state.topics[topic, default: Topic()].readerCount += 1 }
            state.nextReader += 1
            state.readers[state.nextReader] = reader
            return state.nextReader
        }
        bell.yield()
        return number
    }

    /// Removes a stream, and the topics that no other stream shows; the feed is over without streams.
    ///
    /// - Returns: whether the feed is over.
    func remove(_ number: UInt64) -> Bool {
        let isOver = state.withLock { state in
            guard let reader = state.readers.removeValue(forKey: number) else { return state.isOver }
            for topic in reader.topics {
                state.topics[topic]?.readerCount -= 1
                if state.topics[topic]?.readerCount == 0 { state.topics[topic] = nil }
            }
            return state.readers.isEmpty
        }
        if isOver { close() }
        return isOver
    }

    /// Asks and writes until the feed is over, or the coordinator does not answer any more; then ends what streams there are.
    func run() async {
        for await _ in rings {
            let round = begin()
            guard await ask(round) else { break }
            write(isTick: round.isTick)
            if round.isTick { startPause() }
        }
        close()
    }

    private func begin() -> Round {
        state.withLock { state in
            let isTick = state.isDue
            state.isDue = false
            var topics = state.topics.filter { $0.value.content.version == 0 }.map(\.key)
            if isTick {
                state.tick += 1
                if state.turns.isEmpty { state.turns = Array(state.topics.keys) }
                let turns = state.turns.prefix(Self.mostOfTick)
                topics += turns.filter { !topics.contains($0) }
                state.turns.removeFirst(turns.count)
            }
            return Round(topics: topics, isTick: isTick, tick: state.tick)
        }
    }

    /// Asks about the topics.
    ///
    /// - Returns: false if the connection has ended.
    private func ask(_ round: Round) async -> Bool {
        guard !round.topics.isEmpty else { return true }
        // Before the documents, which then know the event.
        let newest = connection.newestEvent
        for topic in round.topics {
            guard let content = state.withLock({ $0.topics[topic]?.content }) else { continue }
            guard let reply = await connection.ask(topic.request) else { return false }
            // Not under the lock: a long document takes its time, and the server's thread may wait for the lock.
            var next = content
            next.take(reply, of: topic, newest: newest, at: round.tick)
            state.withLock { [next] in $0.topics[topic]?.content = next }
        }
        return true
    }

    private func write(isTick: Bool) {
        let writings = state.withLock { state in
            state.readers.keys.compactMap { number -> (HTTPStream, [UInt8])? in
                guard var reader = state.readers[number] else { return nil }
                let bytes = reader.nextBytes(isTick: isTick) { state.topics[$0]?.content }
                state.readers[number] = reader
                return bytes.isEmpty ? nil : (reader.stream, bytes)
            }
        }
        for (stream, bytes) in writings { stream.write(bytes) }
    }

    private func startPause() {
        state.withLock { state in
            guard !state.isOver else { return }
            state.pause = Task {
                await pace.wait()
                becomeDue()
            }
        }
    }

    private func becomeDue() {
        state.withLock { $0.isDue = true }
        bell.yield()
    }

    private func close() {
        let readers = state.withLock { state -> [LiveReader] in
            guard !state.isOver else { return [] }
            state.isOver = true
            state.pause?.cancel()
            defer { (state.pause, state.readers, state.topics) = (nil, [:], [:]) }
            return Array(state.readers.values)
        }
        bell.finish()
        connection.close()
        for reader in readers { reader.stream.end() }
    }
}
