@_spi(Baton) import BatonOperations

extension OperationFates {
    /// Describes the first operations of a job one by one.
    init(_ fates: [OperationFate]) {
        self.init()
        for (index, fate) in fates.enumerated() { append(fate, of: UInt32(index)..<UInt32(index) + 1) }
    }
}
