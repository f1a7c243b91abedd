@_spi(Baton) import BatonClient
import Synchronization
@_spi(Baton) import BatonCoordinator
@_spi(Baton) import BatonWire

/// A client's way to the coordinator of a test cluster.
///
/// Requests and replies are encoded and decoded as on a connection.
final class TestChannel: RequestChannel {
    let endpoint: String
    private let driver: Driver
    private let client: Int
    private let numbers = Atomic<UInt64>(0)

    init(_ driver: Driver) {
        self.driver = driver
        endpoint = driver.endpoint
        client = driver.perform { $0.addClient() }
    }

    deinit { close() }

    func send(
        _ request: Request,
        timeout: Duration?,
        completion: @escaping @Sendable (Result<Reply, ClientError>) -> Void
    ) -> UInt64 {
        let number = numbers.add(1, ordering: .relaxed).newValue
        let bytes = ClientMessage.request(number, request).encoded()
        guard bytes.count <= WireLimits.maximumMessageLength else {
            completion(.failure(.tooLarge(bytes.count)))
            return number
        }
        let outstanding = OutstandingRequest(
            number: number,
            bytes: bytes,
            isRepeatable: request.isRepeatable,
            timeout: timeout,
            completion: completion
        )
        // Decoding may take long; the cluster goes on meanwhile.
        let message = bytes.withUnsafeBytes { ReceivedMessage(decoding: $0) }
        driver.perform { [client] in $0.send(outstanding, message, ofClient: client) }
        return number
    }

    func forget(_ number: UInt64) {
        driver.perform { [client] in $0.forget(number, ofClient: client) }
    }

    func close() {
        driver.perform { [client] in $0.close(client: client) }
    }
}
