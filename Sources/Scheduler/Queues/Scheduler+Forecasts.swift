@_spi(Baton) import BatonOperations

/// Forecasts of the time until a worker has room, for reservations.
extension Scheduler {
    /// The expected end of an attempt, in microseconds from now, and the request that the end releases.
    private typealias ExpectedEnd = (time: Int64, request: ResourceRequest?)

    /// The expected ends of a worker's attempts, earliest first.
    ///
    /// - Parameter time: the time until the end of an attempt, in microseconds; nil leaves the attempt out.
    private func expectedEnds(at worker: WorkerIndex, by time: (OperationNode) -> Int64?) -> [ExpectedEnd] {
        let claims = ledger.claims(at: worker)
        var ends: [ExpectedEnd] = []
        for (token, node) in workers[worker].attempts {
            if let time = time(graph[node]) { ends.append((time, claims[token])) }
        }
        return ends.sorted { $0.time < $1.time }
    }

    /// The time until a worker has room for a request, in microseconds; nil if the expected ends do not release enough.
    private func time(
        for request: ResourceRequest,
        at worker: WorkerIndex,
        beside held: ResourceUse,
        after ends: [ExpectedEnd]
    ) -> Int64? {
        var (free, use, time) = (workers[worker].unusedSlots, ledger.use(at: worker), Int64(0))
        use.add(held)
        var remaining = ends[...]
        while free < 1 || !workers[worker].introduction.offer.hasRoom(for: request, beside: use) {
            guard let next = remaining.popFirst() else { return nil }
            time = next.time
            free += 1
            if let request = next.request { use.subtract(request) }
        }
        return time
    }

    /// The time until the first reserved operation of a worker could start, in microseconds, by the declared times of the
    /// worker's attempts; nil if too few attempts declare a time.
    func timeToReservations(at worker: WorkerIndex) -> Int64? {
        let ends = expectedEnds(at: worker) { node in
            graph.declaredTime(of: node).map { declared in
                max(0, ((node.startedAt ?? now) + declared - now).microseconds)
            }
        }
        var held = ResourceUse()
        var earliest = Int64.max
        for reservation in reservations.all where reservation.worker == worker {
            guard let time = time(for: reservation.request, at: worker, beside: held, after: ends) else { return nil }
            earliest = min(earliest, time)
            held.add(reservation.request)
        }
        return earliest
    }

    /// A guess of the time until a worker has room for a request, in microseconds; `Int64.max` if the room never comes.
    ///
    /// The guess is only used to compare workers. An attempt lasts as long as declared, or else as its template's attempts did on
    /// average. An attempt that lasts longer, or has no earlier ones, counts as half over.
    func timeToRoom(for request: ResourceRequest, at worker: WorkerIndex, beside held: ResourceUse) -> Int64 {
        let ends = expectedEnds(at: worker) { node in
            let elapsed = max(0, now.rawValue - (node.startedAt ?? now).rawValue)
            let expected = graph.declaredTime(of: node)?.microseconds ?? graph.meanDuration(of: node)
            return expected.flatMap { $0 > elapsed ? $0 - elapsed : nil } ?? elapsed
        }
        return time(for: request, at: worker, beside: held, after: ends) ?? .max
    }
}
