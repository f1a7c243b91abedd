import Foundation
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonTestSockets
import Synchronization
@_spi(Baton) import BatonWire
@_spi(Baton) import BatonZeroMQ

/// A coordinator without keys that answers each request as a test says.
final class AnsweringCoordinator: Sendable {
    private let context: Context
    private let address = Mutex("")
    private let isOver = Mutex(false)
    private let failure = Mutex<(any Error)?>(nil)
    private let bound = DispatchSemaphore(value: 0)
    private let ended = DispatchSemaphore(value: 0)

    /// Where the coordinator listens, with the port that the system chose.
    var endpoint: String { address.withLock { $0 } }

    /// - Parameter answer: the answer to a request; called on a thread of the coordinator's own.
    init(_ answer: @escaping @Sendable (Request) -> Reply) throws {
        context = try Context()
        Thread.detachNewThread { [self] in
            do {
                let socket = try Socket(.router, in: context, options: SocketOptions())
                defer { socket.close() }
                try socket.bindPatiently(LoopbackAddress.unique())
                let name = try socket.lastEndpoint
                address.withLock { $0 = name }
                bound.signal()
                try answerAll(at: socket, with: answer)
            } catch {
                failure.withLock { $0 = error }
                bound.signal()
            }
            ended.signal()
        }
        bound.wait()
        if let failure = failure.withLock(\.self) { throw failure }
    }

    private func answerAll(at socket: Socket, with answer: (Request) -> Reply) throws {
        let poller = Poller()
        _ = poller.add(socket)
        while !isOver.withLock(\.self) {
            while let routed = try socket.receiveRouted() {
                let incoming = try routed.message.bytes.withUnsafeBytes { try Incoming(decoding: $0) }
                guard case .client(let message) = incoming else { continue }
                let reply: ClientReply =
                    switch message {
                    case .hello(let protocols, _, _):
                        .welcome(
                            protocolVersion: ProtocolRange.own.agreed(with: protocols),
                            version: "test",
                            epoch: 1
                        )
                    case .request(let number, let request): .reply(number, answer(request))
                    }
                _ = try socket.send(reply.encoded(), to: routed.sender)
            }
            try poller.poll(timeout: .milliseconds(20))
        }
    }

    /// Closes the address.
    func close() throws {
        isOver.withLock { $0 = true }
        ended.wait()
        context.terminate()
        if let failure = failure.withLock(\.self) { throw failure }
    }
}
