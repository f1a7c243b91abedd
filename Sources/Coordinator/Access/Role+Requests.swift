@_spi(Baton) import BatonKeys
@_spi(Baton) import BatonWire

/// What each role may ask for; the one table of permissions.
extension Role {
    /// Whether the role permits a client's request.
    func permits(_ request: Request) -> Bool {
        switch self {
        case .client: true
        case .viewer: request.purpose == .overview
        // A worker takes work and reports it, and no more.
        case .worker: false
        // The key only carries the connection; a token has to say which operation asks.
        case .operation: false
        }
    }

    /// Whether the role permits the messages of workers.
    var permitsWork: Bool { self == .worker }

    /// Whether the role permits the hello of a client.
    var permitsRequests: Bool {
        switch self {
        case .client, .viewer: true
        case .worker, .operation: false
        }
    }
}

extension Request {
    /// What a request is for, as far as permissions distinguish requests.
    enum Purpose {
        /// Shows the state of jobs, operations, queues and workers.
        case overview
        /// Shows the output or result of an operation.
        case content
        /// Changes the cluster.
        case change
    }

    /// What the request is for.
    var purpose: Purpose {
        switch self {
        case .document, .watch, .wait: .overview
        case .log, .result: .content
        case .submit, .cancel, .hold, .release, .setPriority, .depend, .undepend, .addCommand, .retry, .reportProgress,
            .setQueue:
            .change
        }
    }

    /// The request as the end of the sentence "the key may not".
    var infinitive: String {
        switch self {
        case .submit: "submit jobs"
        case .wait: "wait for operations"
        case .cancel: "cancel operations"
        case .hold: "hold operations"
        case .release: "release operations"
        case .setPriority: "change priorities"
        case .depend, .undepend: "change dependencies"
        case .addCommand: "add commands to operations"
        case .retry: "retry jobs"
        case .reportProgress: "report progress"
        case .setQueue: "change queues"
        case .watch: "watch events"
        case .document: "see the cluster"
        case .log: "read output"
        case .result: "read results"
        }
    }
}
