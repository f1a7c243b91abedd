@_spi(Baton) import BatonInvariants

/// The workers that run each type of Swift operation, and the workers with free slots among them (BL4).
///
/// Workers that run the same types form a crew. A change of a worker concerns one crew, however many types the worker runs.
struct TypeIndex {
    /// A position in a crew.
    private struct Seat: Positioned {
        let position: Int32
    }

    private struct Crew: Vacatable {
        static var vacant: Crew { Crew(types: []) }

        let types: [String]
        /// The workers of the crew by seat; nil for a vacant seat.
        var seats: [WorkerIndex?] = []
        var vacantSeats: [Seat] = []
        /// The seats of the workers that would start an attempt at once, by free slots.
        var freeSeats = Ranking<Seat>()

        var isEmpty: Bool { seats.count == vacantSeats.count }

        /// The worker with the most free slots, and the number of these slots.
        var best: (worker: WorkerIndex, freeSlots: Int)? {
            guard let seat = freeSeats.best, let worker = seats[Int(seat.position)] else { return nil }
            return (worker, freeSeats.number(of: seat))
        }
    }

    private typealias CrewIndex = Slab<Crew>.Index

    private var crews = Slab<Crew>()
    private var crewsByTypes: [[String]: CrewIndex] = [:]
    private var crewsByType: [String: [CrewIndex]] = [:]
    private var places: [WorkerIndex: (crew: CrewIndex, seat: Seat)] = [:]
    /// The types that workers with free slots run, and for each type the number of crews with free slots.
    private(set) var freeTypes: [String: Int] = [:]
    /// Whether a crew without free slots has got a free slot since the last reset of this flag.
    var hasNewFreeType = false

    /// Sets the types that a worker runs, and marks the worker as busy.
    ///
    /// - Complexity: O(types).
    mutating func seat(_ worker: WorkerIndex, types: [String]) {
        remove(worker)
        guard !types.isEmpty else { return }
        let types = Set(types).sorted()
        let crew = crewsByTypes[types] ?? addCrew(of: types)
        let seat: Seat
        if let vacant = crews[crew].vacantSeats.popLast() {
            seat = vacant
            invariant(crews[crew].seats[Int(seat.position)] == nil, "A worker gets the seat of another one.")
            crews[crew].seats[Int(seat.position)] = worker
        } else {
            seat = Seat(position: Int32(crews[crew].seats.count))
            crews[crew].seats.append(worker)
        }
        places[worker] = (crew, seat)
    }

    /// Removes a worker.
    mutating func remove(_ worker: WorkerIndex) {
        guard let (crew, seat) = places[worker] else { return }
        setFreeSlots(of: worker, to: 0)
        places[worker] = nil
        invariant(crews[crew].seats[Int(seat.position)] == worker, "A worker leaves the seat of another one.")
        crews[crew].seats[Int(seat.position)] = nil
        crews[crew].vacantSeats.append(seat)
        if crews[crew].isEmpty { removeCrew(crew) }
    }

    /// Sets how many attempts a worker would start at once; a worker without types is ignored.
    ///
    /// - Complexity: O(1); O(types) if the worker is the first of its crew with a free slot, or was the last.
    mutating func setFreeSlots(of worker: WorkerIndex, to number: Int) {
        guard let (crew, seat) = places[worker] else { return }
        let wasFree = crews[crew].freeSeats.best != nil
        crews[crew].freeSeats.set(seat, to: number)
        let isFree = crews[crew].freeSeats.best != nil
        guard isFree != wasFree else { return }
        for type in crews[crew].types {
            let count = freeTypes[type, default: 0] + (isFree ? 1 : -1)
            invariant(count >= 0, "Fewer than no crews have free slots for a type.")
            freeTypes[type] = count > 0 ? count : nil
        }
        if isFree { hasNewFreeType = true }
    }

    /// The worker with the most free slots among the workers that run a type; nil if no worker has a free slot.
    ///
    /// - Complexity: O(crews that run the type).
    func freeWorker(for type: String) -> WorkerIndex? {
        (crewsByType[type] ?? []).compactMap { crews[$0].best }.max { $0.freeSlots < $1.freeSlots }?.worker
    }

    /// Whether a known worker runs a type, whatever the worker's condition.
    func isKnown(_ type: String) -> Bool { crewsByType[type] != nil }

    /// The number of free slots of a worker; nil for a worker without types.
    func freeSlots(of worker: WorkerIndex) -> Int? {
        places[worker].map { crews[$0.crew].freeSeats.number(of: $0.seat) }
    }

    /// The number of workers that run any types.
    var workerCount: Int { places.count }

    private mutating func addCrew(of types: [String]) -> CrewIndex {
        invariant(crewsByTypes[types] == nil, "Two crews run the same types.")
        let crew = crews.insert(Crew(types: types))
        crewsByTypes[types] = crew
        for type in types { crewsByType[type, default: []].append(crew) }
        return crew
    }

    private mutating func removeCrew(_ crew: CrewIndex) {
        invariant(crews[crew].isEmpty, "A crew with workers is removed.")
        invariant(crews[crew].freeSeats.best == nil, "A crew without workers has free slots.")
        let types = crews[crew].types
        let removed = crewsByTypes.removeValue(forKey: types)
        invariant(removed == crew, "A crew is not found by its types.")
        for type in types {
            crewsByType[type]?.removeAll { $0 == crew }
            if crewsByType[type]?.isEmpty == true { crewsByType[type] = nil }
        }
        crews.remove(at: crew)
    }
}
