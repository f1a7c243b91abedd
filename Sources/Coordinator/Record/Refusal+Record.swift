@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonStore

extension Refusal {
    /// Refuses a client's question that the record could not answer.
    init(_ error: StoreError) {
        self.init(error.code == .unreadable ? .damaged : .storage, error.message)
    }
}
