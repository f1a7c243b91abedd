@_spi(Baton) import BatonClient
@_spi(Baton) import BatonWire

@_spi(Baton) @testable import Baton

/// A channel that answers each request at once.
final class AnsweringChannel: RequestChannel {
    let endpoint = "tcp://127.0.0.1:1"
    private let reply: @Sendable (Request) -> Reply

    init(_ reply: @escaping @Sendable (Request) -> Reply) {
        self.reply = reply
    }

    func send(
        _ request: Request,
        timeout: Duration?,
        completion: @escaping @Sendable (Result<Reply, ClientError>) -> Void
    ) -> UInt64 {
        completion(.success(reply(request)))
        return 1
    }

    func forget(_ number: UInt64) {}

    func close() {}

    /// Makes a cluster object whose requests take this channel.
    func makeCluster() -> Cluster { Cluster(channel: self, streams: { self }) }
}
