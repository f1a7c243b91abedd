@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonStore

extension Refusal {
    /// Refuses a client's question that the record could not answer.
    init(_ error: StoreError) {
        self.init(error.code == .unreadable ? .damaged : .storage, error.message)
    }

    /// Answers a client whose request was done, and cannot be kept at the moment.
    static func unkept(because error: StoreError) -> Refusal {
        Refusal(
            .unanswered,
            "The request was taken, and cannot be kept yet. It takes effect once the record can be written, unless the coordinator "
                + "ends before. A submission can be repeated under its key, and has one effect then. \(error)"
        )
    }
}
