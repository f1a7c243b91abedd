import Foundation
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonTestSockets
import Synchronization
@_spi(Baton) import BatonWire
@_spi(Baton) import BatonZeroMQ

/// A coordinator without keys that answers each message as a test says.
final class ScriptedCoordinator: Sendable {
    private let context: Context
    private let address = Mutex("")
    private let isOver = Mutex(false)
    private let failure = Mutex<(any Error)?>(nil)
    private let bound = DispatchSemaphore(value: 0)
    private let ended = DispatchSemaphore(value: 0)

    /// Where the coordinator listens, with the port that the system chose.
    var endpoint: String { address.withLock { $0 } }

    /// - Parameters:
    ///   - endpoint: the address to listen at, for example the address of a coordinator that has ended.
    ///   - answer: returns the answer to a message, or nil for none; called on a thread of the coordinator's own.
    init(
        at endpoint: String = LoopbackAddress.unique(),
        _ answer: @escaping @Sendable (Incoming) -> [UInt8]?
    ) throws {
        context = try Context()
        Thread.detachNewThread { [self] in
            do {
                let socket = try Socket(.router, in: context, options: SocketOptions())
                defer { socket.close() }
                try socket.bindPatiently(endpoint)
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

    private func answerAll(at socket: Socket, with answer: (Incoming) -> [UInt8]?) throws {
        let poller = Poller()
        _ = poller.add(socket)
        while !isOver.withLock(\.self) {
            while let routed = try socket.receiveRouted() {
                let message = try routed.message.bytes.withUnsafeBytes { try Incoming(decoding: $0) }
                if let bytes = answer(message) { _ = try socket.send(bytes, to: routed.sender) }
            }
            try poller.poll(timeout: .milliseconds(20))
        }
    }

    /// An address that nobody listens at yet.
    static func freeEndpoint() throws -> String {
        let server = try ScriptedCoordinator { _ in nil }
        try server.close()
        return server.endpoint
    }

    /// Closes the address; another coordinator may bind it.
    func close() throws {
        isOver.withLock { $0 = true }
        ended.wait()
        context.terminate()
        if let failure = failure.withLock(\.self) { throw failure }
    }
}

extension ScriptedCoordinator {
    /// A coordinator of another version, which refuses every worker.
    static func refusing(at endpoint: String) throws -> ScriptedCoordinator {
        let refusal = Refusal(.incompatible, "This worker speaks another protocol. Upgrade the worker.")
        return try ScriptedCoordinator(at: endpoint) { _ in CoordinatorMessage.refused(refusal).encoded() }
    }

    /// A coordinator that welcomes every client, and answers its requests.
    static func answering(_ answer: @escaping @Sendable (Request) -> Reply) throws -> ScriptedCoordinator {
        try ScriptedCoordinator { message in
            guard case .client(let message) = message else { return nil }
            let reply: ClientReply =
                switch message {
                case .hello(let protocols, _, _):
                    .welcome(protocolVersion: ProtocolRange.own.agreed(with: protocols), version: "test", epoch: 1)
                case .request(let number, let request): .reply(number, answer(request))
                }
            return reply.encoded()
        }
    }
}
