import BatonOperations
import BatonStore

extension Refusal {
    /// What a client is told whose question the record could not answer.
    init(_ error: StoreError) {
        self.init(error.kind == .unreadable ? .damaged : .storage, error.description)
    }
}
