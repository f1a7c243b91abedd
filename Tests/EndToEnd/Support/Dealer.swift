import Foundation
import BatonOperations
import Testing
import BatonWire
import BatonZeroMQ

/// A connection to a coordinator that says whatever a test likes; many of them share one context.
final class Dealer {
    private let socket: Socket
    private let poller = Poller()
    private var lastRequest: UInt64 = 0

    /// - Parameter mostUnread: how many messages it takes in before they are read; nil for any number.
    init(_ endpoint: String, in context: Context, mostUnread: Int? = nil) throws {
        var options = SocketOptions()
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

    /// The next message, or nil where none comes within a time.
    func receive(within limit: Duration = .seconds(20)) throws -> [UInt8]? {
        let deadline = ContinuousClock.now + limit
        repeat {
            if let message = try socket.receive() { return message.bytes }
            _ = try poller.poll(timeout: max(.zero, deadline - .now))
        } while ContinuousClock.now < deadline
        return nil
    }

    /// Passes over everything that has arrived.
    func drain() throws { while try socket.receive() != nil {} }

    /// Asks a client's question.
    ///
    /// - Returns: its number.
    func begin(_ request: Request) throws -> UInt64 {
        lastRequest += 1
        try send(ClientMessage.request(lastRequest, request).encoded())
        return lastRequest
    }
}

/// Runs a body that blocks on a thread of its own, so that other tests keep theirs.
func onThreadOfItsOwn<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
        Thread.detachNewThread { continuation.resume(with: Result(catching: body)) }
    }
}
