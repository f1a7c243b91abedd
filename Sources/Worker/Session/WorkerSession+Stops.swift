@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWire

/// The attempts whose processes are stopped (D17).
extension WorkerSession {
    /// A stop that the worker has seen.
    struct Stop: Hashable, Sendable {
        /// The signal that stopped the process.
        var signal: Int32
        /// The time at which the worker saw it first, in microseconds.
        var since: Int64
    }

    /// The first version of the protocol in which a coordinator hears of stopped attempts.
    private static let firstVersion: UInt16 = 2

    /// Notes which attempts are stopped, to be told at the end of the turn.
    mutating func noteStops(_ signals: [AttemptToken: Int32]) {
        let known = stops
        stops = [:]
        for (token, signal) in signals {
            stops[token] =
                known[token].flatMap { $0.signal == signal ? $0 : nil } ?? Stop(signal: signal, since: moment)
        }
        hasUntoldStops = true
    }

    /// Tells the coordinator which attempts are stopped, after the reports of their starts.
    mutating func tellStops(now: Duration) {
        guard hasUntoldStops, isWelcomed else { return }
        hasUntoldStops = false
        guard protocolVersion >= Self.firstVersion else { return }
        sendStarts(now: now)
        let list = stops.keys.sorted().compactMap { token in
            stops[token].flatMap { stop in
                attempts[token].map {
                    AttemptStop(
                        token: token,
                        operation: $0.operation,
                        signal: stop.signal,
                        age: moment - stop.since
                    )
                }
            }
        }
        effects.append(.send(.stops(session, list)))
    }
}
