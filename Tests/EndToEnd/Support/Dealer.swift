import Foundation
@_spi(Baton) import BatonOperations
import Testing
@_spi(Baton) import BatonWire
@_spi(Baton) import BatonZeroMQ

/// A connection that sends arbitrary messages to a coordinator; many connections share one context.
final class Dealer {
    private let socket: Socket
    private let poller = Poller()
    private var lastRequest: UInt64 = 0

    /// - Parameters:
    ///   - security: the protection of the connection, with its key.
    ///   - mostUnread: the most messages that the connection receives before a read; nil for no limit.
    init(_ endpoint: String, in context: Context, security: SocketSecurity, mostUnread: Int? = nil) throws {
        var options = SocketOptions()
        options.security = security
        options.receiveHighWaterMark = mostUnread ?? 0
        socket = try Socket(.dealer, in: context, options: options)
        _ = poller.add(socket)
        try socket.connect(endpoint)
    }

    deinit { socket.close() }

    func send(_ bytes: [UInt8]) throws { _ = try socket.send(bytes) }

    func send(frames: [[UInt8]]) throws { _ = try socket.send(frames: frames) }

    /// The next message that has arrived already; nil where there is none.
    func receiveNow() throws -> [UInt8]? { try socket.receive()?.bytes }

    /// The next message, or nil without a message within a time.
    func receive(within limit: Duration = .seconds(3600)) throws -> [UInt8]? {
        let deadline = ContinuousClock.now + limit
        repeat {
            if let message = try socket.receive() { return message.bytes }
            _ = try poller.poll(timeout: max(.zero, deadline - .now))
        } while ContinuousClock.now < deadline
        return nil
    }

    /// Discards all messages that have arrived.
    func drain() throws { while try socket.receive() != nil {} }

    /// Sends a client's request.
    ///
    /// - Returns: the number of the request.
    func begin(_ request: Request) throws -> UInt64 {
        lastRequest += 1
        try send(ClientMessage.request(lastRequest, request).encoded())
        return lastRequest
    }
}

/// Runs a blocking body on a separate thread, so that other tests keep their threads.
func onThreadOfItsOwn<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
        Thread.detachNewThread { continuation.resume(with: Result(catching: body)) }
    }
}
