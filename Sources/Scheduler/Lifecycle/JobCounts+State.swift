@_spi(Baton) import BatonInvariants
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
        case .pending:
            pending += number
            invariant(pending >= 0, "Fewer than no operations are pending.")
        case .ready:
            ready += number
            invariant(ready >= 0, "Fewer than no operations are ready.")
        case .executing:
            executing += number
            invariant(executing >= 0, "Fewer than no operations are executing.")
        case .finished: break
        }
    }
}
