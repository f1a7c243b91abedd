@_spi(Baton) import BatonOperations

extension Dictionary where Key == SessionID {
    /// The elements in an order that is the same in each run, so that a simulated run can be repeated.
    var inOrder: [(key: SessionID, value: Value)] {
        count > 1 ? sorted { $0.key.rawValue < $1.key.rawValue } : Array(self)
    }
}
