/// Which failed attempts are retried (RT2, RT3).
@_spi(Baton) extension Template {
    /// The fate that the settings of retries give a failed attempt while retries are left.
    public enum RetryRule: Hashable, Sendable {
        /// Another attempt follows.
        case retried
        /// The attempt ends its operation: such an end is not worth a retry.
        case notRetried
        /// The attempt ends its operation: its exit status is final.
        case final
    }

    /// The rule for a failed attempt.
    ///
    /// - Parameters:
    ///   - reason: the reason for which the attempt failed.
    ///   - status: the exit status, if the attempt exited.
    public func retryRule(for reason: Reason.Code, exitStatus status: Int32?) -> RetryRule {
        guard let seldom else { return .retried }
        func isAmong(_ conditions: [EndCondition]) -> Bool {
            conditions.contains { $0.holds(for: reason, exitStatus: status) }
        }
        if isAmong(seldom.properties.finalStatus) { return .final }
        if isAmong(seldom.properties.noRetryOn) { return .notRetried }
        return seldom.properties.retryOn.isEmpty || isAmong(seldom.properties.retryOn) ? .retried : .notRetried
    }
}
