import Dispatch
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
            let loop = ClientLoop(endpoint: endpoint, options: .patient, mailbox: mailbox) { _ in
            }
            loop.link = .connecting(since: .now)
            loop.pending[1] = PendingRequest(
                number: 1,
                bytes: [],
                isRepeatable: false,
                isRepeatableByCaller: false,
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

    @Test("A request that the coordinator has read may have been carried out, even if the stop comes before its news")
    func stopBeforeConnected() async throws {
        let read = AsyncStream<UInt64>.makeStream()
        let fake = try FakeCoordinator(answering: { number, _ in
            read.continuation.yield(number)
            return []
        })
        let mailbox = try PolledMailbox<ClientLoop.Command>()
        let isStopped = DispatchSemaphore(value: 0)
        // The end of the second request keeps the loop from reading events until the stop has been posted.
        mailbox.post(.ask(request(2, until: .now) { _ in isStopped.wait() }))
        let answers = AsyncStream<Result<Reply, ClientError>>.makeStream()
        mailbox.post(.ask(request(1) { answers.continuation.yield($0) }))
        let loop = ClientLoop(endpoint: fake.endpoint, options: .patient, mailbox: mailbox) { _ in
        }
        try SystemThread.detach(named: "test") { loop.run() }
        for await number in read.stream where number == 1 { break }
        mailbox.post(.stop)
        isStopped.signal()
        var iterator = answers.stream.makeAsyncIterator()
        var closed = ClientError.closed
        closed.mayBeDone = true
        let answer = try #require(await iterator.next())
        #expect(throws: closed) { try answer.get() }
    }

    private func request(
        _ number: UInt64,
        until deadline: ContinuousClock.Instant? = nil,
        completion: @escaping @Sendable (Result<Reply, ClientError>) -> Void
    ) -> PendingRequest {
        PendingRequest(
            number: number,
            bytes: ClientMessage.request(number, .document(.status)).encoded(),
            isRepeatable: true,
            isRepeatableByCaller: true,
            isChange: false,
            timeout: deadline.map { _ in .zero },
            deadline: deadline,
            completion: completion
        )
    }
}
