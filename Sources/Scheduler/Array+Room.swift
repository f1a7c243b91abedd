extension Array {
    /// Gets the space for some more elements at once: just that for many, and as much as appending would for few, so that
    /// asking again and again costs no more.
    mutating func makeRoom(for number: Int) {
        guard number > capacity - count else { return }
        reserveCapacity(Swift.max(count + number, 2 * count))
    }
}
