@_spi(Baton) import BatonScheduler
@_spi(Baton) import BatonWire
@_spi(Baton) import BatonZeroMQ

/// Distinguishes late hellos from present hellos.
///
/// Workers also send hellos to a coordinator that stands by. Such a hello may arrive after the worker has closed the connection and has
/// received attempts from another leader. The hello does not list these attempts. A leader that believed the hello would count the attempts
/// as lost or returned, and would start them again while they run. So a new leader believes a hello only if the connection is alive in both
/// directions: the hello has to repeat a number that the leader sent over the same connection. The worker sends such a hello after this
/// coordinator began to lead, and has received nothing from another leader since.
///
/// A coordinator without a lease needs no proof: nobody led while its process existed, and the connections of the earlier process have
/// died with that process.
extension CoordinatorCore {
    /// Whether the hellos of a worker have to come over a connection that is proven to be alive.
    ///
    /// As long as the reconcile window is open, any worker may hold attempts that only its hello tells. After the window, only a worker
    /// with recorded attempts that has not come back yet may hold such attempts. Once the worker is back, the number of its session shows
    /// which hello is late.
    package func needsProof(ofWorker name: String) -> Bool {
        options.lease != nil && scheduler.awaitsReturn(ofWorker: name)
    }

    /// Whether to believe a hello; if not, the sender is asked to repeat it with a number.
    ///
    /// Workers of version 1 know no such numbers, and are believed.
    func believes(_ hello: WorkerHello, from peer: RoutingID) -> Bool {
        guard needsProof(ofWorker: hello.name), ProtocolRange.own.agreed(with: hello.protocols) >= 2 else {
            return true
        }
        let known = challenges[peer]
        if let known, known == hello.echo { return true }
        let number = known ?? seed()
        if known == nil { challenges.note(number, of: peer) }
        send(CoordinatorMessage.challenge(number).encoded(), to: peer)
        return false
    }
}
