@_spi(Baton) import BatonDocuments
@_spi(Baton) import BatonKeys
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWire

/// What each role may ask for; the one table of permissions.
extension Role {
    /// Whether the role permits a client's request.
    ///
    /// An operation's request is permitted only for some targets, too: see ``CoordinatorCore/objection(to:by:in:)``.
    func permits(_ request: Request) -> Bool {
        if case .document(.coordinatorKeys) = request { return self == .coordinator }
        return switch self {
        case .client: true
        case .viewer: request.purpose == .overview
        // A worker takes work and reports it, and no more; a coordinator gets its keys.
        case .worker, .coordinator: false
        case .operation: !request.changesSettings && !request.isAboutWorkers && !request.deletes
        }
    }

    /// How much the role shows in documents.
    var disclosure: Disclosure {
        switch self {
        case .client, .operation: .everything
        case .viewer, .worker, .coordinator: .state
        }
    }

    /// Whether the role permits the messages of workers.
    var permitsWork: Bool { self == .worker }

    /// Whether the role permits the hello of a client; an operation's key needs a proof besides.
    var permitsRequests: Bool {
        switch self {
        case .client, .viewer, .operation, .coordinator: true
        case .worker: false
        }
    }
}

extension Request {
    /// What a request is for, as far as permissions distinguish requests.
    enum Purpose {
        /// Shows the state of jobs, operations, queues and workers.
        case overview
        /// Shows the output, the result or a file of an operation.
        case content
        /// Changes the cluster.
        case change
    }

    /// What the request is for.
    var purpose: Purpose {
        switch self {
        // A graph file is what operations do.
        case .document(.graph), .document(.coordinatorKeys): .content
        case .wait(_, _, _, _, _, _, true): .content
        case .document, .history, .watch, .wait, .waitForWorkers: .overview
        case .log, .outputs, .result, .filePiece: .content
        case .submit, .add, .close, .cancel, .hold, .release, .pause, .resume, .signal, .setPriority, .depend,
            .undepend, .addCommand, .retry, .reportProgress,
            .setQueue, .deleteQueue, .setLimit, .drain, .undrain, .stop, .forget, .delete,
            .addSchedule, .changeSchedule, .startSchedule, .missingFiles, .sentPiece:
            .change
        }
    }

    /// Whether the request changes limits, or the settings of queues, which a submission can do on the way, or is about schedules,
    /// which go on after the operation that asks.
    var changesSettings: Bool {
        switch self {
        case .setQueue, .deleteQueue, .addSchedule, .changeSchedule, .startSchedule, .setLimit: true
        case .submit(let submission): !submission.queueChanges.isEmpty
        default: false
        }
    }

    /// Whether the request is about workers, apart from the list of workers.
    var isAboutWorkers: Bool {
        switch self {
        case .drain, .undrain, .stop, .forget, .waitForWorkers: true
        default: false
        }
    }

    /// Whether the request deletes jobs, which may be anybody's.
    var deletes: Bool {
        if case .delete = self { true } else { false }
    }

    /// The request as the end of the sentence "the key may not".
    var infinitive: String {
        switch self {
        case .submit: "submit jobs"
        case .add: "add operations to jobs"
        case .close: "close jobs"
        case .wait(_, _, _, _, _, _, true): "read output"
        case .wait: "wait for operations"
        case .cancel: "cancel operations"
        case .hold: "hold operations"
        case .release: "release operations"
        case .pause: "pause operations"
        case .resume: "continue operations"
        case .signal: "send signals to operations"
        case .setPriority: "change priorities"
        case .depend, .undepend: "change dependencies"
        case .addCommand: "add commands to operations"
        case .retry: "retry jobs"
        case .reportProgress: "report progress"
        case .setQueue: "change queues"
        case .deleteQueue: "delete queues"
        case .setLimit: "change limits"
        case .drain, .undrain: "drain workers"
        case .stop: "stop workers"
        case .forget: "remove workers"
        case .delete: "delete jobs"
        case .addSchedule: "add schedules"
        case .changeSchedule: "change schedules"
        case .startSchedule: "start schedules"
        case .waitForWorkers: "wait for workers"
        case .watch: "watch events"
        case .document(.graph): "export jobs"
        case .document(.coordinatorKeys): "get the coordinator's keys"
        case .document, .history: "see the cluster"
        case .log, .outputs: "read output"
        case .result: "read results"
        case .filePiece: "read files"
        case .missingFiles, .sentPiece: "send files"
        }
    }
}
