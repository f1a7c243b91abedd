import Testing
@_spi(Baton) import BatonThreads
@_spi(Baton) import BatonWire
@_spi(Baton) import BatonZeroMQ

@_spi(Baton) @testable import BatonClient

@Suite("A client's event loop")
struct ClientLoopTests {
    @Test("A sent submission fails as unanswered after a disconnect, even if the welcome precedes the connect event")
    func welcomeBeforeConnected() async throws {
        let endpoint = "tcp://127.0.0.1:1"
        let mailbox = try PolledMailbox<ClientLoop.Command>()
        let answer: Result<Reply, ClientError> = await withCheckedContinuation { continuation in
            let loop = ClientLoop(endpoint: endpoint, options: ClientOptions(version: "test"), mailbox: mailbox) { _ in
            }
            loop.link = .connecting(since: .now)
            loop.pending[1] = PendingRequest(
                number: 1,
                bytes: [],
                isRepeatable: false,
                isChange: false,
                timeout: nil,
                deadline: nil,
                completion: { continuation.resume(returning: $0) }
            )
            loop.pending[1]?.isSent = true
            // The welcome is read before the monitor's word of the connection.
            loop.welcomed()
            loop.connectionChanged(.connected)
            loop.connectionChanged(.handshakeSucceeded)
            loop.connectionChanged(.disconnected)
            if !loop.pending.isEmpty { loop.failAll(.closed) }
        }
        #expect(throws: ClientError.submissionUnanswered(endpoint)) { try answer.get() }
    }
}
