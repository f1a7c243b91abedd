@_spi(Baton) import BatonClient
@_spi(Baton) import BatonKeys
import Foundation
import Synchronization
@_spi(Baton) import BatonWire
@_spi(Baton) import BatonWorker
@_spi(Baton) import BatonZeroMQ

/// The way of a running operation's requests to its worker's coordinator, which opens with the first request.
///
/// Operations that ask nothing of the cluster cost no connection and no thread.
final class OperationChannel: RequestChannel {
    private enum State {
        case unused
        case open(ClientConnection)
        case closed
    }

    let endpoint: String
    private let token: OperationToken?
    private let state = Mutex(State.unused)

    init(_ call: TypedCall) {
        endpoint = call.coordinator
        token = call.token
    }

    func send(
        _ request: Request,
        timeout: Duration?,
        completion: @escaping @Sendable (Result<Reply, ClientError>) -> Void
    ) -> UInt64 {
        do {
            return try connection().send(request, timeout: timeout, completion: completion)
        } catch {
            completion(.failure(error))
            return 0
        }
    }

    func forget(_ number: UInt64) {
        if case .open(let connection) = state.withLock({ $0 }) { connection.forget(number) }
    }

    func close() {
        let state = state.withLock { state in
            defer { state = .closed }
            return state
        }
        if case .open(let connection) = state { connection.close() }
    }

    private func connection() throws(ClientError) -> ClientConnection {
        try state.withLock { state throws(ClientError) in
            switch state {
            case .open(let connection):
                return connection
            case .closed:
                throw .closed
            case .unused:
                let connection = try ClientConnection(endpoint: endpoint, options: options())
                state = .open(connection)
                return connection
            }
        }
    }

    /// The protection of the connection: that of the operation's token, and none at a coordinator without keys.
    private func options() throws(ClientError) -> ClientOptions {
        var options = ClientOptions(version: ProcessInfo.processInfo.processName)
        guard let token else { return options }
        options.operationToken = token
        do throws(KeyError) {
            options.security = try Credential.operation(token).security()
        } catch {
            throw .key(error, endpoint: endpoint)
        }
        return options
    }
}

extension Cluster {
    /// Makes a client that acts as the operation of a call, at the worker's coordinator.
    static func acting(for call: TypedCall) -> Cluster {
        Cluster(channel: OperationChannel(call), streams: { OperationChannel(call) }, waiter: call.operation)
    }

    /// Makes a client for a call that has ended, whose requests fail.
    static func closed(for call: TypedCall) -> Cluster {
        let channel = OperationChannel(call)
        channel.close()
        return Cluster(channel: channel, streams: { () throws(ClientError) in throw .closed }, waiter: call.operation)
    }
}
