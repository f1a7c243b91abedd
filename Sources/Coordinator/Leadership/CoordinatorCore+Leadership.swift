@_spi(Baton) import BatonLogging
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

    /// Notes which coordinator a worker has obeyed, and warns once of a coordinator that did not start before this coordinator.
    ///
    /// The warning is the only consequence: a record that was restored on purpose is an older copy too, until all workers have come to the
    /// new coordinator.
    func noteKnown(_ known: LeaderRank?) {
        guard rivalStart == nil, let known, known.record == rank.record, known.epoch >= rank.epoch,
            known.incarnation != rank.incarnation
        else { return }
        rivalStart = known
        logger.warning(
            "workers know a start of this record that is not before this one: where that coordinator runs, stop one of the two",
            metadata: [
                "epoch": "\(rank.epoch)", "otherEpoch": "\(known.epoch)", "otherIncarnation": "\(known.incarnation)",
            ]
        )
    }

    /// Answers a worker's question whether a coordinator leads here.
    ///
    /// The question needs no session.
    func tellLeadership(to peer: RoutingID) {
        let leadership = Leadership(isLeading: true, rank: rank, leader: endpoint)
        send(CoordinatorMessage.leadership(leadership).encoded(), to: peer)
    }

    /// Tells a peer that this coordinator leads now, after the peer asked while the coordinator stood by.
    func tellLeadership(to peer: StandbyPeers.Peer) {
        switch peer.kind {
        case .worker: tellLeadership(to: peer.address)
        case .client:
            let leadership = Leadership(isLeading: true, rank: rank, leader: endpoint)
            send(ClientReply.leadership(leadership).encoded(), to: peer.address)
        }
    }
}
