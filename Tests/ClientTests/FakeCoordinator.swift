@_spi(Baton) import BatonClient
import Foundation
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonTestSockets
import Synchronization
@_spi(Baton) import BatonThreads
@_spi(Baton) import BatonWire
@_spi(Baton) import BatonZeroMQ

/// A ROUTER that greets clients and answers under the control of a test.
final class FakeCoordinator: Sendable {
    /// A reaction to a message.
    enum Action: Sendable {
        /// Answer the message, or an earlier message, with a reply.
        case send(ClientReply)
        /// Answer with these bytes.
        case sendBytes([UInt8])
        /// Close the socket: other pending answers are lost.
        case vanish
    }

    let endpoint: String
    private let stopping: Waker
    private let ended = DispatchSemaphore(value: 0)

    /// Listens on a separate thread, until ``stop()`` or an action ends the thread.
    ///
    /// - Parameter onProof: called with the proof of each hello.
    init(
        at endpoint: String = LoopbackAddress.unique(),
        keys: KeyedServer? = nil,
        onProof: @escaping @Sendable (Secret?) -> Void = { _ in },
        greeting: @escaping @Sendable (ProtocolRange) -> [Action] = { _ in [.send(.welcomeOfTest)] },
        answering: @escaping @Sendable (UInt64, Request) -> [Action] = { _, _ in [] }
    ) throws {
        let stopping = try Waker()
        let bound = Mutex<Result<String, any Error>?>(nil)
        let isBound = DispatchSemaphore(value: 0)
        self.stopping = stopping
        let ended = self.ended
        // libzmq confines a socket to a thread, and a task may run on any.
        let slot = Slot(result: bound)
        Thread.detachNewThread {
            defer { ended.signal() }
            do {
                let context = try Context()
                let authenticator = keys == nil ? nil : try Authenticator(context: context)
                var options = SocketOptions()
                if let keys { options.security = keys.security }
                let socket = try Socket(.router, in: context, options: options)
                try socket.bindPatiently(endpoint)
                let name = try socket.lastEndpoint
                slot.result.withLock { $0 = .success(name) }
                isBound.signal()
                try Self.serve(
                    socket,
                    and: authenticator,
                    of: keys,
                    until: stopping,
                    greeting: { range, proof in
                        onProof(proof)
                        return greeting(range)
                    },
                    answering: answering
                )
                socket.close()
                authenticator?.close()
            } catch {
                slot.result.withLock { $0 = $0 ?? .failure(error) }
                isBound.signal()
            }
        }
        isBound.wait()
        self.endpoint = try slot.result.withLock { try $0?.get() } ?? endpoint
    }

    deinit { stopping.ring() }

    /// Closes the socket, and returns once it is closed.
    func stop() {
        stopping.ring()
        ended.wait()
    }

    private final class Slot: Sendable {
        let result: Mutex<Result<String, any Error>?>

        init(result: consuming Mutex<Result<String, any Error>?>) {
            self.result = result
        }
    }

    private static func serve(
        _ socket: Socket,
        and authenticator: Authenticator?,
        of keys: KeyedServer?,
        until stopping: Waker,
        greeting: (ProtocolRange, Secret?) -> [Action],
        answering: (UInt64, Request) -> [Action]
    ) throws {
        let poller = Poller()
        let stop = poller.add(stopping)
        _ = poller.add(socket)
        if let authenticator { _ = poller.add(authenticator) }
        while true {
            try poller.poll()
            if poller.isReadable(stop) { return }
            if let authenticator { try keys?.answer(authenticator) }
            while let incoming = try socket.receiveRouted() {
                let decoded = try incoming.message.withUnsafeBytes { try ClientMessage(decoding: $0) }
                let actions =
                    switch decoded {
                    case .hello(let range, _, let proof): greeting(range, proof)
                    case .request(let number, let request): answering(number, request)
                    }
                for action in actions {
                    switch action {
                    case .send(let reply): _ = try socket.send(reply.encoded(), to: incoming.sender)
                    case .sendBytes(let bytes): _ = try socket.send(bytes, to: incoming.sender)
                    case .vanish: return
                    }
                }
            }
        }
    }
}

extension ClientReply {
    static let welcomeOfTest = ClientReply.welcome(
        protocolVersion: ProtocolVersion.newest,
        version: "test",
        epoch: 1
    )
}

extension Reply {
    /// One thing was changed.
    static let oneChange = Reply.changed(ChangeReport(changed: 1))
}

/// A value that several threads write.
final class Shared<Value: Sendable>: Sendable {
    private let value: Mutex<Value>

    init(_ value: Value) {
        self.value = Mutex(value)
    }

    func callAsFunction<Result: Sendable>(_ body: (inout Value) -> Result) -> Result {
        value.withLock { body(&$0) }
    }
}

extension ClientOptions {
    /// Limits that no test reaches, however busy the host is.
    static var patient: ClientOptions {
        var options = ClientOptions(version: "test")
        options.connectTimeout = .seconds(3600)
        options.welcomeTimeout = .seconds(3600)
        options.probeAfter = .seconds(3600)
        options.silenceLimit = .seconds(3600)
        options.lateAfter = .seconds(3600)
        options.awayLimit = .seconds(3600)
        return options
    }
}
