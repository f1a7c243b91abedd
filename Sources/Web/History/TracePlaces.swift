import Synchronization

/// The places for traces that are made at the same time: each takes some megabytes of memory, and room for a temporary file.
final class TracePlaces: Sendable {
    /// A place, which is free again when nobody holds it any more.
    final class Place: Sendable {
        private let places: TracePlaces

        fileprivate init(_ places: TracePlaces) {
            self.places = places
        }

        deinit { places.taken.withLock { $0 -= 1 } }
    }

    private let most: Int
    private let taken = Mutex(0)

    /// Makes places, all free.
    init(most: Int) {
        self.most = most
    }

    /// A free place; nil if all are taken.
    func take() -> Place? {
        let isFree = taken.withLock { taken in
            guard taken < most else { return false }
            taken += 1
            return true
        }
        return isFree ? Place(self) : nil
    }
}
