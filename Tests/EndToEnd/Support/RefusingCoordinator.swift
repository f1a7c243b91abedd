import Foundation
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonTestSockets
import Synchronization
@_spi(Baton) import BatonWire
@_spi(Baton) import BatonZeroMQ

/// A coordinator of another version, without keys: it refuses every worker.
final class RefusingCoordinator: Sendable {
    private let context: Context
    private let isOver = Mutex(false)
    private let failure = Mutex<(any Error)?>(nil)
    private let bound = DispatchSemaphore(value: 0)
    private let ended = DispatchSemaphore(value: 0)

    /// - Parameter endpoint: the address of a coordinator that has ended.
    init(at endpoint: String) throws {
        context = try Context()
        Thread.detachNewThread { [self] in
            do {
                let socket = try Socket(.router, in: context, options: SocketOptions())
                defer { socket.close() }
                try socket.bindPatiently(endpoint)
                bound.signal()
                try refuseAll(at: socket)
            } catch {
                failure.withLock { $0 = error }
                bound.signal()
            }
            ended.signal()
        }
        bound.wait()
        if let failure = failure.withLock(\.self) { throw failure }
    }

    private func refuseAll(at socket: Socket) throws {
        let refusal = Refusal(.incompatible, "This worker speaks another protocol. Upgrade the worker.")
        let poller = Poller()
        _ = poller.add(socket)
        while !isOver.withLock(\.self) {
            while let routed = try socket.receiveRouted() {
                _ = try socket.send(CoordinatorMessage.refused(refusal).encoded(), to: routed.sender)
            }
            try poller.poll(timeout: .milliseconds(20))
        }
    }

    /// Closes the address; another coordinator may bind it.
    func close() throws {
        isOver.withLock { $0 = true }
        ended.wait()
        context.terminate()
        if let failure = failure.withLock(\.self) { throw failure }
    }
}
