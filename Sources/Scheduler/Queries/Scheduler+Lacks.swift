@_spi(Baton) import BatonOperations

/// What workers lack for an operation, as an explanation.
extension Scheduler {
    /// The maximum number of workers in the list of missing resources and labels.
    private static let listedLacks = 8

    /// Finds out what alive workers lack for a request; without any, what draining and silent workers lack.
    ///
    /// - Parameters:
    ///   - places: the workers that run the operation's type and have the time.
    ///   - reservation: the operation's own reservation, if it is the first of its line.
    /// - Returns: the workers that lack nothing; if there is none, the impediment. With a reservation, only its worker counts.
    func lack(
        of request: ResourceRequest,
        among places: [WorkerIndex],
        reserving reservation: Reservation?
    ) -> (able: [WorkerState], impediment: Impediment?) {
        var able: [WorkerState] = []
        var lacks: [(lack: WorkerLack, isPossible: Bool)] = []
        let reservation = reservation.flatMap { workers[$0.worker].isAlive ? $0 : nil }
        let isAnyAlive = places.contains { workers[$0].isAlive }
        // With a reservation, only what its worker lacks keeps the operation waiting for certain.
        for place in places
        where (isAnyAlive ? workers[place].isAlive : !workers[place].isAbsent)
            && reservation.map({ $0.worker == place }) ?? true
        {
            let introduction = workers[place].introduction
            var use = ledger.use(at: place)
            use.add(heldBack(at: place, before: reservation))
            let lack = WorkerLack(
                of: introduction.name,
                for: request,
                offering: introduction.offer,
                beside: use
            )
            guard let lack else {
                able.append(workers[place])
                continue
            }
            let isPossible = introduction.offer.hasRoom(for: request) && introduction.offer.meetsLabels(of: request)
            lacks.append((lack, isPossible))
        }
        guard able.isEmpty else { return (able, nil) }
        // The workers that come closest are the most useful ones to know.
        lacks.sort { left, right in
            if left.isPossible != right.isPossible { return left.isPossible }
            if left.lack.isOfLabels != right.lack.isOfLabels { return right.lack.isOfLabels }
            return left.lack.worker < right.lack.worker
        }
        let impediment = Impediment.resources(
            lacks: lacks.prefix(Self.listedLacks).map(\.lack),
            others: max(0, lacks.count - Self.listedLacks),
            isPossible: lacks.contains(where: \.isPossible),
            reserved: reservation.map { workers[$0.worker].introduction.name }
        )
        return ([], impediment)
    }

    /// What reservations hold back at a worker that come before a reservation, or before an operation without one.
    private func heldBack(at worker: WorkerIndex, before reservation: Reservation?) -> ResourceUse {
        guard let reservation else { return reservations.heldBack(at: worker) }
        var use = ResourceUse()
        for older in reservations.all.prefix(while: { $0.queue != reservation.queue }) where older.worker == worker {
            use.add(older.request)
        }
        return use
    }
}
