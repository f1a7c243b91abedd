/// Which workers run which types of Swift operations, and who of them has free slots (BL4).
///
/// Workers that run the same types are one crew, so that a change of a worker concerns one crew, however many types it runs.
struct TypeIndex {
    private struct Crew: Vacatable {
        static var vacant: Crew { Crew(types: []) }

        let types: [String]
        /// Its workers by their seats; -1 where nobody sits.
        var seats: [Int32] = []
        var vacantSeats: [Int32] = []
        /// The seats of those that would start something at once, by their free slots.
        var freeSeats = WorkerIndex()

        var isEmpty: Bool { seats.count == vacantSeats.count }

        /// The worker with the most free slots, and how many those are.
        var best: (worker: Int32, freeSlots: Int)? {
            freeSeats.best.map { (seats[Int($0)], freeSeats.number(of: $0)) }
        }
    }

    private var crews = Slab<Crew>()
    private var crewsByTypes: [[String]: Int32] = [:]
    private var crewsByType: [String: [Int32]] = [:]
    private var places: [Int32: (crew: Int32, seat: Int32)] = [:]
    /// The types that a worker with a free slot runs, and how many crews have one.
    private(set) var freeTypes: [String: Int] = [:]
    /// Whether a crew has got a free slot that had none, since this was last set back.
    var hasNewFreeType = false

    /// Takes note of the types that a worker runs, in the place of those that it ran before; it counts as busy.
    ///
    /// - Complexity: O(types).
    mutating func seat(_ worker: Int32, types: [String]) {
        remove(worker)
        guard !types.isEmpty else { return }
        let types = Set(types).sorted()
        let crew = crewsByTypes[types] ?? addCrew(of: types)
        let seat: Int32
        if let vacant = crews[crew].vacantSeats.popLast() {
            seat = vacant
            crews[crew].seats[Int(seat)] = worker
        } else {
            seat = Int32(crews[crew].seats.count)
            crews[crew].seats.append(worker)
        }
        places[worker] = (crew, seat)
    }

    /// Forgets a worker.
    mutating func remove(_ worker: Int32) {
        guard let (crew, seat) = places[worker] else { return }
        setFreeSlots(of: worker, to: 0)
        places[worker] = nil
        crews[crew].seats[Int(seat)] = -1
        crews[crew].vacantSeats.append(seat)
        if crews[crew].isEmpty { removeCrew(crew) }
    }

    /// Takes note of how many attempts a worker would start at once; one that runs no types is left alone.
    ///
    /// - Complexity: O(1); O(types) where it is the first of its crew with a free slot, or was the last.
    mutating func setFreeSlots(of worker: Int32, to number: Int) {
        guard let (crew, seat) = places[worker] else { return }
        let wasFree = crews[crew].freeSeats.best != nil
        crews[crew].freeSeats.set(seat, to: number)
        let isFree = crews[crew].freeSeats.best != nil
        guard isFree != wasFree else { return }
        for type in crews[crew].types {
            let count = freeTypes[type, default: 0] + (isFree ? 1 : -1)
            freeTypes[type] = count > 0 ? count : nil
        }
        if isFree { hasNewFreeType = true }
    }

    /// The worker with the most free slots among those that run a type; nil where none has any.
    ///
    /// - Complexity: O(crews that run it).
    func freeWorker(for type: String) -> Int32? {
        (crewsByType[type] ?? []).compactMap { crews[$0].best }.max { $0.freeSlots < $1.freeSlots }?.worker
    }

    /// Whether a worker is known that runs a type, whatever its condition.
    func isKnown(_ type: String) -> Bool { crewsByType[type] != nil }

    /// How many free slots a worker is known to have; nil for one that runs no types.
    func freeSlots(of worker: Int32) -> Int? {
        places[worker].map { crews[$0.crew].freeSeats.number(of: $0.seat) }
    }

    /// How many workers are known.
    var workerCount: Int { places.count }

    private mutating func addCrew(of types: [String]) -> Int32 {
        let crew = crews.insert(Crew(types: types))
        crewsByTypes[types] = crew
        for type in types { crewsByType[type, default: []].append(crew) }
        return crew
    }

    private mutating func removeCrew(_ crew: Int32) {
        let types = crews[crew].types
        crewsByTypes[types] = nil
        for type in types {
            crewsByType[type]?.removeAll { $0 == crew }
            if crewsByType[type]?.isEmpty == true { crewsByType[type] = nil }
        }
        crews.remove(at: crew)
    }
}
