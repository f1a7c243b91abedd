@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWire

extension Request {
    /// Whether a partial reply answers the request too, after which the client asks for the rest.
    var isDivisible: Bool {
        switch self {
        case .log, .outputs, .history, .watch: true
        default: false
        }
    }

    /// The same request for a short part, if the request is divisible.
    var shortened: Request {
        switch self {
        case .log(let address, let attempt, let stream, let offset, let limit):
            .log(address, attempt: attempt, stream, offset: offset, limit: min(limit, 16 << 10))
        case .outputs(let selection): .outputs(selection.limited(to: 16 << 10))
        case .history(let selection):
            .history(HistorySelection(job: selection.job, from: selection.from, limit: min(selection.limit, 16)))
        case .watch(let since, let limit, let time, let selection):
            .watch(since: since, limit: min(limit, 16), atMost: time, of: selection)
        default: self
        }
    }

    /// About how many bytes of memory the request takes until the reply.
    func memory(decodedFrom length: Int) -> Int {
        // Bytes stay as they are.
        if case .sentPiece = self { return 128 + length }
        return hasSubmission ? 128 + 6 * length : 128 + 16 * length
    }

    /// Whether the request has operations for a job.
    var hasSubmission: Bool {
        switch self {
        case .submit, .add, .addSchedule: true
        default: false
        }
    }
}
