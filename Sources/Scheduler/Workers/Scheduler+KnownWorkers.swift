@_spi(Baton) import BatonOperations

/// The workers that a request names.
extension Scheduler {
    /// A worker that is on the list, or is on record as drained.
    struct KnownWorker {
        /// The name, as given.
        var name: String
        /// The place among the workers; nil for a worker that has left.
        var place: WorkerIndex?
        /// The identities of the name: that of the worker on the list, else those that are on record; empty if unknown.
        var identities: [WorkerID]
    }

    /// The workers with some names, each once and in order; nil if a name is unknown, and the request has been refused.
    ///
    /// - Complexity: O(names), and O(drains) for each worker that has left.
    mutating func knownWorkers(named names: [String], for request: RequestID) -> [KnownWorker]? {
        func refuse(_ refusal: Refusal) -> [KnownWorker]? {
            emit(.answer(request, .refused(refusal)))
            return nil
        }
        guard !names.isEmpty else { return refuse(Refusal(.invalid, "The request names no worker.")) }
        var seen: Set<String> = []
        var found: [KnownWorker] = []
        for name in names where seen.insert(name).inserted {
            if let place = workers.index(ofName: name), !name.isEmpty {
                let id = workers[place].introduction.id
                found.append(KnownWorker(name: name, place: place, identities: id == .unknown ? [] : [id]))
            } else {
                let identities = drains.identities(named: name)
                guard !identities.isEmpty else {
                    return refuse(Refusal(.notFound, "There is no worker \(name.asShown)."))
                }
                found.append(KnownWorker(name: name, place: nil, identities: identities))
            }
        }
        return found
    }

    /// Why some workers cannot be made to end: one of them is a keeper, which goes with the coordinator; nil if none is.
    ///
    /// - Parameter change: what is asked for, such as "drained".
    func objectionToChange(of known: [KnownWorker], _ change: String) -> Refusal? {
        let keeper = known.first { worker in worker.place.map { workers[$0].introduction.isKeeper } ?? false }
        guard let keeper else { return nil }
        return Refusal(
            .invalid,
            "Worker \(keeper.name.asShown) is a part of the coordinator, which keeps files and runs nothing: it cannot be \(change). It "
                + "ends with the coordinator; leave it out of the request."
        )
    }
}
