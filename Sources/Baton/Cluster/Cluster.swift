@_spi(Baton) public import BatonClient
@_spi(Baton) import BatonKeys
import Foundation
@_spi(Baton) public import BatonOperations
import Synchronization
@_spi(Baton) import BatonWorker
@_spi(Baton) import BatonZeroMQ

/// A client of a cluster: what a program asks of the coordinator at one address, or of the one of several that leads.
///
/// ```swift
/// let cluster = try Cluster(coordinator: "tcp://10.0.0.1:7461")
/// let build = try await cluster.queue("builds").addOperations { CommandOperation("make", "all") }
/// print(try await build.waitUntilFinished())
/// ```
///
/// What is asked from one thread or task takes effect in the order asked. Letting the object go, or ending the program,
/// changes nothing in the cluster, but what has no answer yet may be lost: await, flush or wait before.
public final class Cluster: Sendable {
    /// The limits of a client.
    public struct Options: Hashable, Sendable {
        /// How long the coordinator may be away before requests and waits throw `lost`; nil for ever.
        ///
        /// The time counts from the moment at which the client notices the absence: a closed connection at once, a silent one after
        /// some 15 seconds. It concerns a coordinator that has answered before; for the first answer, see ``connectTimeout``.
        public var awayLimit: Duration? = .seconds(60)
        /// How long the first connection may take before requests throw `unreachable`.
        ///
        /// The search for the host's name, and a process that accepts the connection and does not answer, take up to some 5 seconds
        /// more. Once a coordinator has answered, a lost connection is tried again until ``awayLimit``.
        public var connectTimeout: Duration = .seconds(5)
        /// The most operations without the coordinator's answer.
        public var maximumUnsent = 1_000_000

        /// Sets the default limits.
        public init() {}
    }

    /// The address of the coordinator, or the addresses of several with commas between them.
    public var coordinator: String { channel.endpoint }

    let channel: any RequestChannel
    let line: RequestLine
    let registry = OperationRegistry()
    let missing = MissingAdditions()
    let follower: Follower
    /// The operation that the object acts as, if any, wherever its calls come from.
    private let ownWaiter: OperationID?
    /// The operation that waits, if any: its waits are refused if they could never end (L13).
    ///
    /// A worker's program may share one object among its operations: each waits as itself.
    var waiter: OperationID? {
        if let ownWaiter { return ownWaiter }
        guard let call = OperationContext.current?.call.call else { return nil }
        guard call.coordinator != coordinator else { return call.operation }
        let isPart = EndpointList(asGiven: coordinator).isPart(of: EndpointList(asGiven: call.coordinator))
        return isPart ? call.operation : nil
    }
    private let makeChannel: @Sendable () throws(ClientError) -> any RequestChannel
    private let queues = Mutex<[String: WeakQueue]>([:])

    /// Prepares a connection; the first request opens it.
    ///
    /// In `run(in:)` of an operation, ``OperationContext/cluster`` needs no key, and its requests are those of the operation. An object that
    /// is made there acts with the key of the program. Its waits are those of the operation, if they come from the task of the call or
    /// its child tasks, and the object has the coordinator's address, or one of several, as the worker has it. Other waits are not: a
    /// wait that could never end is not refused, and does not end.
    ///
    /// The key is that of `BATON_KEY`, of the file that `BATON_KEY_FILE` names, of the operation that the program belongs to, or of
    /// the state directory. With `BATON_INSECURE=1`, the client uses no key, and expects a coordinator without keys.
    ///
    /// - Parameters:
    ///   - coordinator: the coordinator's address, such as `tcp://127.0.0.1:7461`, or those of several coordinators of one cluster with
    ///     commas between them, of which one leads; nil for that of `BATON_COORDINATOR`, else the address that belongs to the key, else
    ///     `tcp://127.0.0.1:7461`.
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
        ownWaiter = waiter
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
    /// - Throws: ``ClusterError``: the first refusal of what nobody awaited, if any.
    @available(*, noasync) public func flush() throws(ClusterError) {
        try blocking { try await self.flush() }
    }

    /// Returns when all that was asked before is on disk and in force.
    ///
    /// - Throws: ``ClusterError``: the first refusal of what nobody awaited, if any; and `CancellationError` if the task is
    ///   cancelled.
    public func flush() async throws {
        try await line.passed()
        try line.throwFailure()
    }

    /// Blocks until all that was asked before is on disk, and takes no more requests; a second call has no effect.
    ///
    /// - Throws: ``ClusterError``: the first refusal of what nobody awaited, if any.
    @available(*, noasync) public func close() throws(ClusterError) {
        try blocking { try await self.close() }
    }

    /// Returns when all that was asked before is on disk, and takes no more requests; a second call has no effect.
    ///
    /// If the coordinator does not answer in time, the objects of additions without an answer are the program's again. Another
    /// cluster object for the same coordinator repeats the additions.
    ///
    /// - Throws: ``ClusterError``: the first refusal of what nobody awaited, if any; and `CancellationError` if the task is
    ///   cancelled.
    public func close() async throws {
        line.close()
        do {
            try await line.passed()
        } catch let error as ClusterError {
            line.giveUp()
            channel.close()
            throw error
        }
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
