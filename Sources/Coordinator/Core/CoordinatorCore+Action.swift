@_spi(Baton) package import BatonOperations
@_spi(Baton) package import BatonZeroMQ

extension CoordinatorCore {
    /// An action for ``CoordinatorShell`` to carry out.
    package enum Action: Sendable {
        /// Send a message to a peer.
        case send([UInt8], to: RoutingID)
        /// Send messages to a peer over its connection for files, in their order.
        case sendTogether([[UInt8]], to: RoutingID)
        /// Give a part of this process, which has no messages, the page of a history that it has asked for.
        case handOver(HistoryPage, to: RoutingID)
        /// Commit changes together, after all earlier changes, and call ``CoordinatorCore/committed(_:at:)`` after the
        /// commit.
        case commit([RecordChange], batch: UInt64)
        /// Ask the record, after all earlier changes are committed, and pass the answer to ``CoordinatorCore/receive(_:at:)``.
        case ask(RecordQuestion)
        /// Give a piece of a sent file to its store, and pass the answer to ``CoordinatorCore/receive(_:at:)``.
        case keep(KeptPiece)
        /// Try again to commit the changes that failed.
        case retryRecord
        /// Look whether the record's files are in their place.
        case checkRecord
        /// Free what is left of large jobs.
        case free(Remains)
    }
}
