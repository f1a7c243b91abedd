import Glibc

/// Signals to process groups, and the signals that have stopped them.
@_spi(Baton) extension SupervisedProcesses {
    /// Stops a process group until ``resume(_:)``, or until its termination.
    ///
    /// A token whose process has ended, or has not started, has no effect.
    public func pause(_ token: UInt64) { send(SIGSTOP, to: token) }

    /// Continues a stopped process group.
    public func resume(_ token: UInt64) { send(SIGCONT, to: token) }

    /// Sends a signal to a process group.
    ///
    /// A token whose process has ended, or has not started, has no effect.
    public func deliver(_ signal: Int32, to token: UInt64) { send(signal, to: token) }

    /// The signals that keep a process of running groups stopped, by the tokens of the groups.
    ///
    /// The cost is some microseconds for each process of the machine.
    public func signalsOfStops() -> [UInt64: Int32] {
        var signals: [UInt64: Int32] = [:]
        for (process, signal) in ProcessTable.stops() {
            guard let group = groups[process], case .running = group.phase else { continue }
            signals[group.token] = signal
        }
        return signals
    }

    private func send(_ signal: Int32, to token: UInt64) {
        settle(token)
        guard let process = processes[token], case .running? = groups[process]?.phase else { return }
        kill(-process, signal)
    }
}
