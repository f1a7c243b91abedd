import BatonClient
import BatonCoordinator
import BatonDocuments
import BatonGraphFiles
import BatonOperations
import BatonWorker

/// The failure of a command: a sentence for people, a code for scripts, and the exit status.
struct CommandFailure: Error {
    var status: Int32
    var code: String
    var message: String
    /// The path of a cycle; otherwise empty.
    var path: [String] = []

    init(_ status: Int32, code: String, _ message: String, path: [String] = []) {
        self.status = status
        self.code = code
        self.message = message
        self.path = path
    }
}

/// An exit with a status and without a further message.
struct QuietExit: Error {
    var status: Int32
}

extension CommandFailure {
    /// Converts any error at the end of a command.
    init(_ error: any Error) {
        switch error {
        case let failure as CommandFailure: self = failure
        case let error as ClientError: self.init(error)
        case let refusal as Refusal: self.init(refusal)
        case let error as GraphFileError: self.init(error.refusal)
        case let error as CoordinatorError: self.init(error)
        case let error as WorkerError: self.init(error)
        default: self.init(ExitStatus.fault, code: "fault", "Internal error of Baton: \(error)")
        }
    }

    init(_ refusal: Refusal) {
        self.init(
            ExitStatus.of(refusal.code),
            code: refusal.code.rawValue,
            refusal.message,
            path: refusal.path
        )
    }

    init(_ error: ClientError) {
        switch error {
        case .refused(let refusal): self.init(refusal)
        case .invalidEndpoint: self.init(ExitStatus.usage, code: "invalidAddress", error.description)
        case .tooLarge: self.init(ExitStatus.refusedInput, code: "invalid", error.description)
        case .unknownHost, .unreachable: self.init(ExitStatus.unreachable, code: "unreachable", error.description)
        case .notCoordinator: self.init(ExitStatus.unreachable, code: "notCoordinator", error.description)
        case .lost: self.init(ExitStatus.unreachable, code: "lost", error.description)
        case .timedOut: self.init(ExitStatus.unreachable, code: "noAnswer", error.description)
        case .submissionUnanswered: self.init(ExitStatus.unreachable, code: "unanswered", error.description)
        case .malformedReply, .system, .closed, .cancelled:
            self.init(ExitStatus.fault, code: "fault", error.description)
        }
    }

    private init(_ error: CoordinatorError) {
        switch error.kind {
        case .addressInUse: self.init(ExitStatus.unreachable, code: "addressInUse", error.description)
        case .badAddress: self.init(ExitStatus.usage, code: "badAddress", error.description)
        case .insecureAddress: self.init(ExitStatus.notAllowed, code: "insecureAddress", error.description)
        case .storeInUse: self.init(ExitStatus.unreachable, code: "storeInUse", error.description)
        case .storeNotAccessible: self.init(ExitStatus.notAllowed, code: "storeNotAccessible", error.description)
        case .storeUnreadable: self.init(ExitStatus.refusedInput, code: "storeUnreadable", error.description)
        case .other: self.init(ExitStatus.fault, code: "fault", error.description)
        }
    }

    private init(_ error: WorkerError) {
        switch error.code {
        case .invalid: self.init(ExitStatus.usage, code: "invalid", error.description)
        case .directoryInUse: self.init(ExitStatus.unreachable, code: "directory", error.description)
        case .directory: self.init(ExitStatus.notAllowed, code: "directory", error.description)
        case .refused: self.init(ExitStatus.unreachable, code: "refused", error.description)
        case .system: self.init(ExitStatus.fault, code: "fault", error.description)
        }
    }
}

extension CommandFailure {
    /// The error document for standard error.
    var json: String {
        var document = ErrorDocument(code: code, message: message)
        document.error.path = path
        return String(decoding: document.json, as: UTF8.self)
    }
}
