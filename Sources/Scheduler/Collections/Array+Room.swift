extension Array {
    /// Reserves space for more elements at once.
    ///
    /// A large request reserves only the space for its elements. A small request doubles the space, as appending would, so that
    /// repeated requests cost no more than appending.
    mutating func makeRoom(for number: Int) {
        guard number > capacity - count else { return }
        reserveCapacity(Swift.max(count + number, 2 * count))
    }
}
