@_spi(Baton) import BatonOperations

extension JobCounts {
    /// Counts operations of one unfinished state.
    init(of state: OperationState, number: Int = 1) {
        self.init()
        add(number, to: state)
    }

    /// Adds to the count of an unfinished state; finished operations are counted by outcome.
    mutating func add(_ number: Int, to state: OperationState) {
        switch state {
        case .pending: pending += number
        case .ready: ready += number
        case .executing: executing += number
        case .finished: break
        }
    }
}
