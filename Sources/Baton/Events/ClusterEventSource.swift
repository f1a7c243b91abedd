@_spi(Baton) import BatonWire
@_spi(Baton) import BatonClient

/// Reads all events of a cluster, page by page.
actor ClusterEventSource: EventSource {
    private static let patience = Duration.seconds(60)

    private let cluster: Cluster
    /// The number of the last event; nil before the first page without a given beginning.
    private var last: UInt64?
    private var connection = StreamChannel()
    /// Events of the last page, the next one last.
    private var rest: [ClusterEvent] = []

    init(of cluster: Cluster, since last: UInt64?) {
        self.cluster = cluster
        self.last = last
    }

    func next() async throws -> ClusterEvent? {
        if !connection.isMade {
            // An absent coordinator is told at once; only later absences are waited for (L11).
            _ = try await cluster.asking { channel throws(ClientError) in try await channel.document(.status) }
        }
        while rest.isEmpty {
            let since: UInt64
            if let last {
                since = last
            } else {
                since = try await cluster.asking(on: try connection.channel(of: cluster)) {
                    channel throws(ClientError) in
                    try await channel.events(since: nil, limit: 1, atMost: .zero).last
                }
            }
            last = since
            let page = try await cluster.asking(on: try connection.channel(of: cluster)) {
                channel throws(ClientError) in
                try await channel.events(since: since, atMost: Self.patience)
            }
            var events: [ClusterEvent] = []
            try EventReader.read(page, since: since) { events.append($0) }
            rest = events.reversed()
            last = page.last
        }
        return rest.popLast()
    }
}
