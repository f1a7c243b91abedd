@_spi(Baton) import BatonOperations
@_spi(Baton) package import BatonWire

/// A request without a reply.
struct PendingRequest: Sendable {
    /// The request's number, which the reply repeats.
    let number: UInt64
    /// The encoded message, kept for a repetition.
    let bytes: [UInt8]
    /// Whether a repeated request has the same effect as a single request.
    let isRepeatable: Bool
    /// Whether the caller can repeat the request with the same effect, too: not if the key of a submission was made here.
    let isRepeatableByCaller: Bool
    /// Whether the reply comes as soon as the record has the request's changes, and waits for nothing else.
    let isChange: Bool
    /// How long the caller waits, and until when.
    let timeout: Duration?
    let deadline: ContinuousClock.Instant?
    /// Takes the result, on the connection's thread.
    let completion: @Sendable (Result<Reply, ClientError>) -> Void
    /// When the reply becomes late; nil for a request that waits on purpose, and once the client has said so.
    var lateAt: ContinuousClock.Instant?
    /// Whether a probe was sent after the reply became late.
    var isProbed = false
    /// Whether the request was handed to the present socket.
    var isSent = false
    /// Whether the coordinator may have read the request, on the present connection or on an earlier connection.
    var mayHaveArrived = false
    /// Whether the request was sent again although it may have been carried out before.
    var isRepeated = false

    func answer(_ result: Result<Reply, ClientError>) {
        completion(result)
    }
}

extension Request {
    /// Whether the reply comes as soon as the record has the request's changes, and waits for nothing else.
    var isChange: Bool {
        switch self {
        case .submit, .add, .close, .cancel, .hold, .release, .pause, .resume, .signal, .setPriority, .depend,
            .undepend, .addCommand, .retry, .reportProgress,
            .setQueue, .deleteQueue, .setLimit, .drain, .undrain, .stop, .forget, .delete,
            .addSchedule, .changeSchedule, .startSchedule:
            true
        case .wait, .waitForWorkers, .watch, .document, .log, .outputs, .history, .result, .filePiece, .missingFiles,
            .sentPiece:
            false
        }
    }

    /// Whether the caller can repeat the request with the same effect, too: not if the key of a submission was made here.
    var isRepeatableByCaller: Bool {
        switch self {
        case .submit(let submission), .add(let submission, _):
            submission.key.map { !Submission.isOwn(key: $0) } ?? false
        default: isRepeatable
        }
    }

    /// Whether a client may repeat the request if the reply is missing: false for a submission or an addition without a key, an
    /// added command, a signal, which would come twice, a stop at once, which kills when repeated, and the removal of workers, jobs,
    /// queues, limits and schedules, which would find none of them.
    package var isRepeatable: Bool {
        switch self {
        case .submit(let submission), .add(let submission, _): submission.key != nil
        case .addCommand, .signal, .forget, .delete, .deleteQueue, .changeSchedule(_, .remove): false
        case .stop(_, let isImmediate): !isImmediate
        case .setLimit(let change): change.units != nil
        case .close, .wait, .cancel, .hold, .release, .pause, .resume, .setPriority, .depend, .undepend, .retry,
            .reportProgress, .setQueue, .watch, .document, .log, .outputs, .history, .result, .filePiece, .drain,
            .undrain,
            .waitForWorkers,
            .addSchedule, .changeSchedule, .startSchedule, .missingFiles, .sentPiece:
            true
        }
    }
}
