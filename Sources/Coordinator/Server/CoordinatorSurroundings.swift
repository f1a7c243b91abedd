@_spi(Baton) package import BatonOperations
@_spi(Baton) package import BatonStore
@_spi(Baton) package import BatonZeroMQ

/// What surrounds a coordinator's core: the ways to its peers, and the recorder.
///
/// The server, the test cluster and the simulation are one each; ``CoordinatorShell`` tells them what to do. All methods return at
/// once. What the recorder has done comes back as a ``RecordLetter``.
package protocol CoordinatorSurroundings: AnyObject {
    /// The present moment of a clock for leases, which counts whatever stops the process or its host.
    ///
    /// Only a coordinator with a ``LeaderLease`` asks.
    var leaseTime: Timestamp { get }

    /// Sends a message to a peer that is still connected, and calls ``CoordinatorCore/delivered(_:to:)`` once the message is sent or
    /// dropped.
    ///
    /// After a reconnection, a worker reports its attempts and a client repeats its requests.
    func send(_ bytes: [UInt8], to peer: RoutingID, at now: Timestamp)

    /// Sends messages to a peer over its connection for files, in their order, as ``send(_:to:at:)`` does with one.
    ///
    /// The bytes of a message that has several of them count beside theirs: see ``CoordinatorCore/noteBundle(_:to:)``.
    func sendTogether(_ messages: [[UInt8]], to peer: RoutingID, at now: Timestamp)

    /// Gives a part of this process, which has no messages, the page of a history that it has asked for.
    func handOver(_ page: HistoryPage, to peer: RoutingID)

    /// Gives the recorder work, behind all earlier work.
    func record(_ work: RecorderInbox.Item)

    /// Has the recorder try again to commit the changes that failed.
    func retryRecord()

    /// Has the recorder look whether the record's files are in their place.
    func checkRecord()

    /// Frees what is left of large jobs, where nobody waits for it.
    func free(_ remains: Remains)
}

extension CoordinatorSurroundings {
    /// A moment for a coordinator without a lease.
    package var leaseTime: Timestamp { Timestamp(rawValue: 0) }

    /// Sends each message alone.
    package func sendTogether(_ messages: [[UInt8]], to peer: RoutingID, at now: Timestamp) {
        for message in messages { send(message, to: peer, at: now) }
    }

    /// Frees what is left of large jobs at once.
    package func free(_ remains: Remains) { remains.free() }
}
