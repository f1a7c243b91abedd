@_spi(Baton) import BatonInvariants
@_spi(Baton) import BatonOperations

/// A worker that is kept for the first operation of a queue that fits no worker now.
///
/// Without a reservation, small operations would fill the worker again and again before a large one fits. The reservation is for
/// whatever operation is the first of its line: a higher priority that comes later takes precedence.
struct Reservation {
    /// The queue, which has no other reservation.
    let queue: QueueIndex
    /// The line of the operation.
    let requirement: Requirement
    /// What the operation asks for.
    let request: ResourceRequest
    /// The worker that is kept.
    var worker: WorkerIndex
    /// When the choice of the worker was made or reviewed.
    var reviewedAt: Timestamp
}

/// The reservations, oldest first.
///
/// An older reservation comes before a later one at each worker. Two operations that waited for each other's share would both
/// wait forever.
struct ReservationTable: Sendable {
    private(set) var all: [Reservation] = []
    /// What the reservations hold back at each worker together.
    private(set) var heldBack: [WorkerIndex: ResourceUse] = [:]
    /// The running operations that wait for others; no reservation counts on their ends.
    ///
    /// A reservation could keep an awaited operation from starting: neither operation would ever end.
    var waiting: Set<OperationID> = []

    /// Whether there is no reservation.
    @inline(__always) var isEmpty: Bool { all.isEmpty }

    /// What reservations hold back at a worker.
    func heldBack(at worker: WorkerIndex) -> ResourceUse { heldBack[worker] ?? ResourceUse() }

    /// The reservation of a queue.
    func reservation(ofQueue queue: QueueIndex) -> Reservation? { all.first { $0.queue == queue } }

    /// The number of older reservations than that of a queue; nil if the queue has none.
    func position(ofQueue queue: QueueIndex) -> Int? { all.firstIndex { $0.queue == queue } }

    /// Adds a reservation.
    ///
    /// - Parameter position: the number of older reservations; nil for the latest reservation.
    mutating func insert(_ reservation: Reservation, at position: Int?) {
        all.insert(reservation, at: position ?? all.count)
        heldBack[reservation.worker, default: ResourceUse()].add(reservation.request)
    }

    /// Removes a queue's reservation.
    mutating func remove(ofQueue queue: QueueIndex) {
        guard let position = all.firstIndex(where: { $0.queue == queue }) else { return }
        takeBack(all.remove(at: position))
    }

    /// Moves a queue's reservation to another worker; the reservation keeps its age.
    mutating func move(ofQueue queue: QueueIndex, to worker: WorkerIndex) {
        guard let position = all.firstIndex(where: { $0.queue == queue }) else { return }
        takeBack(all[position])
        all[position].worker = worker
        heldBack[worker, default: ResourceUse()].add(all[position].request)
    }

    /// Notes that the choice of the worker of a queue's reservation was reviewed.
    mutating func noteReview(ofQueue queue: QueueIndex, at moment: Timestamp) {
        guard let position = all.firstIndex(where: { $0.queue == queue }) else { return }
        all[position].reviewedAt = moment
    }

    private mutating func takeBack(_ reservation: Reservation) {
        heldBack[reservation.worker]?.subtract(reservation.request)
        if !all.contains(where: { $0.worker == reservation.worker && $0.queue != reservation.queue }) {
            invariant(
                heldBack[reservation.worker]?.isEmpty == true,
                "No queue has reserved a worker, and something is held back there."
            )
            heldBack[reservation.worker] = nil
        }
    }
}
