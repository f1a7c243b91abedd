@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWire
@_spi(Baton) import BatonZeroMQ

/// Descriptions of messages, short enough to be read by the hundred.
enum Trace {
    /// A message that reaches the coordinator.
    static func arrival(_ bytes: [UInt8], from peer: RoutingID) -> String {
        let link = "link \(peer.bytes.suffix(2).reduce(0) { $0 << 8 | Int($1) })"
        switch bytes.withUnsafeBytes({ try? Incoming(decoding: $0) }) {
        case .worker(.heartbeat)?: return "\(link): heartbeat"
        case .worker(.hello(let hello))?:
            let claimed = hello.attempts.map { "\($0.operation) \($0.token) \($0.phase)" }
            let echo = hello.echo == nil ? "" : ", repeats a number"
            return "\(link): hello of \(hello.name), claims \(claimed)\(echo)"
        case .worker(.report(_, let report))?:
            let ends = report.completions.map { "\($0.operation) \($0.token) \($0.result.end)" }
            return "\(link): started \(report.started), returned \(report.returned), ended \(ends)"
        case .worker(let message)?: return "\(link): \(brief(message))"
        case .client(.request(let number, let request))?: return "\(link): request \(number) \(brief(request))"
        case .client?, nil: return "\(link): something else"
        }
    }

    /// A message to a worker.
    static func brief(_ message: CoordinatorMessage) -> String {
        switch message {
        case .dispatch(let batch):
            "run " + batch.items.map { "\($0.assignment.operation) \($0.assignment.token)" }.joined(separator: ", ")
        case .welcome(let welcome): "welcome, stale \(welcome.staleAttempts), recalled \(welcome.recalledAttempts)"
        default: brief(message as Any)
        }
    }

    /// Any value, without the names of its modules.
    static func brief(_ value: Any) -> String {
        var text = String(describing: value)
        for name in ["BatonWire.", "BatonOperations.", "WorkerMessage.", "CoordinatorMessage."] {
            text = text.split(separator: name, omittingEmptySubsequences: false).joined()
        }
        return String(text.prefix(240))
    }
}
