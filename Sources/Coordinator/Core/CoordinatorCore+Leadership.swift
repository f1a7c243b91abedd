@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonScheduler
@_spi(Baton) import BatonWire
@_spi(Baton) import BatonZeroMQ

/// Tells workers and clients which start of the record this coordinator is.
extension CoordinatorCore {
    /// The coordinator's place among all starts on its record.
    var rank: LeaderRank {
        LeaderRank(record: record, epoch: scheduler.epoch, incarnation: scheduler.incarnation)
    }

    /// Answers a worker's question whether a coordinator leads here.
    ///
    /// The question needs no session and changes nothing, so that nothing is kept of it.
    func tellLeadership(to peer: RoutingID) {
        let leadership = Leadership(isLeading: true, rank: rank, leader: endpoint)
        send(CoordinatorMessage.leadership(leadership).encoded(), to: peer)
    }
}
