@_spi(Baton) public import BatonClient
@_spi(Baton) import BatonKeys
import Foundation
@_spi(Baton) public import BatonOperations
import Synchronization

/// A client of a cluster: what a program asks of the coordinator at one address.
///
/// What is asked from one thread or task takes effect in the order asked (L3). Letting the object go, or ending the program,
/// changes nothing in the cluster, but what has no answer yet may be lost: await, flush or wait before (L9).
public final class Cluster: Sendable {
    /// The limits of a client.
    public struct Options: Hashable, Sendable {
        /// How long the coordinator may be away before requests and waits throw `lost`; nil for ever (L11).
        public var awayLimit: Duration? = .seconds(60)
        /// How long a connection may take before the coordinator counts as unreachable.
        public var connectTimeout: Duration = .seconds(5)
        /// The most operations without the coordinator's answer (L14).
        public var maximumUnsent = 1_000_000

        /// Sets the default limits.
        public init() {}
    }

    /// The address of the coordinator.
    public var coordinator: String { channel.endpoint }

    let channel: any RequestChannel
    let line: RequestLine
    let registry = OperationRegistry()
    let missing = MissingAdditions()
    let follower: Follower
    /// The operation that this program runs as, if any: its waits are refused if they could never end (L13).
    let waiter: OperationID?
    private let makeChannel: @Sendable () throws(ClientError) -> any RequestChannel
    private let queues = Mutex<[String: WeakQueue]>([:])

    /// Prepares a connection; the first request opens it.
    ///
    /// The key is that of `BATON_KEY`, of the file that `BATON_KEY_FILE` names, of the operation that the program belongs to, or of
    /// the state directory. With `BATON_INSECURE=1`, the client uses no key, and expects a coordinator without keys.
    ///
    /// - Parameters:
    ///   - coordinator: the coordinator's address, such as `tcp://127.0.0.1:7461`; nil for that of `BATON_COORDINATOR`, else the
    ///     address that belongs to the key, else `tcp://127.0.0.1:7461`.
    ///   - options: the limits.
    ///   - home: the state directory with the keys; nil for that of `BATON_HOME`, else `~/.local/state/baton`.
    /// - Throws: ``ClusterError`` if the process has no usable key, or no free thread or descriptor.
    public convenience init(
        coordinator: String? = nil,
        options: Options = Options(),
        home: String? = nil
    ) throws(ClusterError) {
        let connection: ClientConnection
        let waiter: OperationID?
        let connect: @Sendable () throws(ClientError) -> any RequestChannel
        do throws(ClientError) {
            let lookup = KeyLookup.ofProcess(home: home)
            let access = try lookup.clientAccess(at: coordinator, isInsecure: lookup.isInsecure)
            var limits = ClientOptions(version: ProcessInfo.processInfo.processName, to: access)
            limits.awayLimit = options.awayLimit ?? .longestAllowed
            limits.connectTimeout = options.connectTimeout
            connection = try ClientConnection(endpoint: access.endpoint, options: limits)
            // A stream begins when the cluster's own connection has found the coordinator.
            limits.isCoordinatorKnown = true
            connect = { [limits] () throws(ClientError) in
                try ClientConnection(endpoint: access.endpoint, options: limits)
            }
            waiter = lookup.operation(at: access.endpoint)
        } catch {
            throw ClusterError(error)
        }
        self.init(channel: connection, streams: connect, options: options, waiter: waiter)
    }

    /// Makes a client on a channel to a coordinator.
    ///
    /// - Parameters:
    ///   - channel: the channel, which is closed with the cluster.
    ///   - makeChannel: makes a channel to the same coordinator for a stream of events; a channel has one open watch at a time.
    ///   - options: the limits; those of the connection are the channel's own.
    ///   - waiter: the operation that the client acts as, if any.
    @_spi(Baton) public init(
        channel: any RequestChannel,
        streams makeChannel: @escaping @Sendable () throws(ClientError) -> any RequestChannel,
        options: Options = Options(),
        waiter: OperationID? = nil
    ) {
        self.channel = channel
        self.makeChannel = makeChannel
        self.waiter = waiter
        line = RequestLine(
            to: channel,
            maximumUnanswered: options.maximumUnsent,
            registry: registry,
            missing: missing
        )
        follower = Follower(on: channel, registry: registry)
    }

    deinit { channel.close() }

    /// A queue of the cluster, by its name; the first use creates the queue in the cluster.
    ///
    /// The same name gives the same object, as long as the program holds it.
    public func queue(_ name: String = "default") -> DistributedOperationQueue {
        let name = Name.normalized(name)
        return queues.withLock { queues in
            if let queue = queues[name]?.queue { return queue }
            let queue = DistributedOperationQueue(name: name, cluster: self)
            queues[name] = WeakQueue(queue: queue)
            return queue
        }
    }

    /// The events of the cluster, in their order.
    ///
    /// - Parameter sequence: the number of the last event that the program knows, to get all after it; nil for those from now on.
    ///   If older ones are no longer kept, the first event says how many were missed.
    public func events(since sequence: UInt64? = nil) -> EventStream<ClusterEvent> {
        EventStream { ClusterEventSource(of: self, since: sequence) }
    }

    /// Blocks until all that was asked before is on disk and in force.
    ///
    /// - Throws: ``ClusterError``: the first refusal of what nobody awaited, if any (L4).
    @available(*, noasync) public func flush() throws(ClusterError) {
        try blocking { try await self.flush() }
    }

    /// Returns when all that was asked before is on disk and in force.
    ///
    /// - Throws: ``ClusterError``: the first refusal of what nobody awaited, if any (L4); and `CancellationError` if the task is
    ///   cancelled.
    public func flush() async throws {
        try await line.passed()
        try line.throwFailure()
    }

    /// Blocks until all that was asked before is on disk, and takes no more requests; a second call has no effect.
    ///
    /// - Throws: ``ClusterError``: the first refusal of what nobody awaited, if any (L4).
    @available(*, noasync) public func close() throws(ClusterError) {
        try blocking { try await self.close() }
    }

    /// Returns when all that was asked before is on disk, and takes no more requests; a second call has no effect.
    ///
    /// - Throws: ``ClusterError``: the first refusal of what nobody awaited, if any (L4); and `CancellationError` if the task is
    ///   cancelled.
    public func close() async throws {
        line.close()
        try await line.passed()
        channel.close()
        try line.throwFailure()
    }
}

extension Cluster {
    /// Makes a channel for a stream of events, which closes it.
    func channelForStream() throws(ClusterError) -> any RequestChannel {
        do throws(ClientError) {
            return try makeChannel()
        } catch {
            throw ClusterError(error)
        }
    }

    /// Asks the coordinator, with errors as the library throws them.
    func asking<Value: Sendable>(
        on other: (any RequestChannel)? = nil,
        _ body: (any RequestChannel) async throws(ClientError) -> Value
    ) async throws -> Value {
        do throws(ClientError) {
            return try await body(other ?? channel)
        } catch {
            if error.code == .cancelled { throw CancellationError() }
            throw ClusterError(error)
        }
    }
}

/// A queue that the program may hold.
private struct WeakQueue {
    weak var queue: DistributedOperationQueue?
}
