import BatonOperations
import BatonStore

extension Refusal {
    /// Refuses a client's question that the record could not answer.
    init(_ error: StoreError) {
        self.init(error.kind == .unreadable ? .damaged : .storage, error.description)
    }
}
