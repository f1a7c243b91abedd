extension StoreError {
    /// Another coordinator leads on a record that several hosts reach.
    ///
    /// - Parameters:
    ///   - record: the record, without a password.
    ///   - epoch: the epoch of the other coordinator; nil if it is not known.
    package static func deposed(_ record: String, by epoch: UInt32?) -> StoreError {
        StoreError(
            .deposed,
            "Another coordinator leads on the record \(record) now\(epoch.map { " (epoch \($0))" } ?? ""), and this one does not any "
                + "more. All that was acknowledged is in the record. See \"baton status\" for the one that leads."
        )
    }

    /// The server of a record cannot be reached, or has not answered.
    ///
    /// - Parameters:
    ///   - record: the record, without a password.
    ///   - why: what the connection has met; the library for it ends some of its sentences with a question.
    package static func unreachable(_ record: String, _ why: String) -> StoreError {
        let end = why.hasSuffix("?") || why.hasSuffix(".") ? "" : "."
        return StoreError(
            .unreachable,
            "The server of the record \(record) cannot be reached, and nothing is acknowledged until it can: \(why)\(end) Check the "
                + "server and the network.",
            mayPass: true
        )
    }
}
