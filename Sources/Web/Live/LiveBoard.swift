@_spi(Baton) import BatonKeys
import Synchronization

/// The live streams of the web interface.
///
/// What they cost the coordinator depends on what is looked at, and not on how many look: streams of one key share the documents
/// of a topic. Holders of different keys share nothing, because they may not see the same.
final class LiveBoard: Sendable {
    private let cluster: any WebCluster
    private let pace: LivePace
    private let feeds = Mutex<[AuthorizedKey?: LiveFeed]>([:])

    /// Makes a board without streams, which asks nothing.
    init(_ cluster: any WebCluster, _ pace: LivePace = .usual) {
        self.cluster = cluster
        self.pace = pace
    }

    /// The numbers of keys with streams, of streams, and of topics.
    var counts: (feeds: Int, readers: Int, topics: Int) {
        feeds.withLock { feeds in
            feeds.values.map(\.counts).reduce((feeds.count, 0, 0)) { ($0.0, $0.1 + $1.readers, $0.2 + $1.topics) }
        }
    }

    /// Writes the newest documents of topics into a stream, for the holder of a key, until the stream is over.
    ///
    /// The stream ends with the coordinator, and with the key.
    func show(_ topics: [LiveTopic], in stream: HTTPStream, to key: AuthorizedKey?) {
        let reader = LiveReader(stream: stream, topics: topics)
        let (feed, number) = feeds.withLock { feeds -> (LiveFeed, UInt64?) in
            if let feed = feeds[key], let number = feed.add(reader) { return (feed, number) }
            let feed = LiveFeed(cluster.connect(by: key), pace)
            feeds[key] = feed
            Task {
                await feed.run()
                forget(feed, of: key)
            }
            return (feed, feed.add(reader))
        }
        guard let number else { return stream.end() }
        stream.whenOver { [self] _ in if feed.remove(number) { forget(feed, of: key) } }
    }

    private func forget(_ feed: LiveFeed, of key: AuthorizedKey?) {
        feeds.withLock { feeds in if feeds[key] === feed { feeds[key] = nil } }
    }
}
