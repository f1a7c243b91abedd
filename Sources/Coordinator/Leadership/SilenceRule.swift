@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonScheduler

/// The rule that workers notice the loss of a leader, and are back, before the reconcile window of the next one ends.
struct SilenceRule {
    /// How many intervals between heartbeats pass without an answer before a worker looks for its coordinator anew.
    private static let intervals = 4
    /// How long a worker may take to be back.
    private static let returnTime = Duration.seconds(1)
    /// The shortest interval between heartbeats that a lease leads to.
    private static let shortestInterval = Duration.milliseconds(250)
    /// The shortest lease: the margin and a few proofs have to fit into it.
    private static let shortestLease = Duration.seconds(1)

    /// How often workers send heartbeats.
    ///
    /// The interval is short enough that one lost heartbeat neither ends a worker's lease nor makes the worker suspect. Without a
    /// leader's lease there is no further rule: the end of a process on a living host is noticed at once.
    static func heartbeatInterval(_ options: CoordinatorOptions) -> Duration {
        let configuration = options.configuration
        let interval = min(options.heartbeatInterval, min(configuration.lease, configuration.suspectAfter) / 3)
        guard let lease = options.lease else { return interval }
        let window = lease + configuration.reconcileWindow
        return min(interval, max(shortestInterval, (window - returnTime) / (intervals + 1)))
    }

    /// What is wrong with a leader's lease beside the other options, in a sentence or two; nil for nothing.
    static func objection(to options: CoordinatorOptions) -> String? {
        guard let lease = options.lease else { return nil }
        let configuration = options.configuration
        guard lease >= shortestLease else {
            return "A lease of \(lease.text) is too short: a leader could not prove it in time. Raise --lease "
                + "to at least "
                + "\(shortestLease.text)."
        }
        let window = lease + configuration.reconcileWindow
        let silence = heartbeatInterval(options) * intervals
        guard silence + returnTime <= window else {
            return "The reconcile window of \(configuration.reconcileWindow.text) is too short for a lease of "
                + "\(lease.text): a "
                + "worker notices the loss of its coordinator after \(silence.text), and has to be back before. Raise "
                + "--reconcile-window to at least \((silence + returnTime - lease).text)."
        }
        guard configuration.lostAfter >= window else {
            return "Workers that count as lost after \(configuration.lostAfter.text) are given up before the "
                + "reconcile window of "
                + "\(configuration.reconcileWindow.text) and the lease of \(lease.text) are over, and may still start what others "
                + "get then. Raise --lost-after to at least \(window.text)."
        }
        return nil
    }
}
