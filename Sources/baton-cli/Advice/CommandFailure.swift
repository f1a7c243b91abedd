@_spi(Baton) import BatonArguments
@_spi(Baton) import BatonClient
@_spi(Baton) import BatonCoordinator
@_spi(Baton) import BatonDocuments
@_spi(Baton) import BatonGraphFiles
@_spi(Baton) import BatonKeys
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonStore
@_spi(Baton) import BatonWeb
@_spi(Baton) import BatonWire
@_spi(Baton) import BatonWorker

/// The failure of a command: a sentence for people, a code for scripts, advice, and the exit status.
struct CommandFailure: Error {
    var status: Int32
    /// The signal that the process dies of afterwards, in place of the exit status; nil for none.
    var signal: Int32?
    var code: String
    /// What happened, to what.
    var message: String
    /// The path of a cycle; otherwise empty.
    var path: [String] = []
    /// What to do, in a sentence; see ``Advice``.
    var advice: String?

    init(_ status: Int32, code: String, _ message: String, path: [String] = [], advice: String? = nil) {
        self.status = status
        self.code = code
        self.message = message
        self.path = path
        self.advice = advice
    }

    /// The text for a terminal: the sentence, and the advice.
    var text: String { advice.map { "\(message) \($0)" } ?? message }
}

/// An end without a further message.
struct QuietExit: Error {
    var end: CommandEnd

    init(_ end: CommandEnd) { self.end = end }

    init(status: Int32) { end = .status(status) }

    /// An end as by a signal.
    init(signal: Int32) { end = .signal(signal) }
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
        case let error as KeyError: self.init(error)
        case let error as StoreError: self.init(error, missing: nil)
        // An option whose value is found wrong only while the command runs.
        case let error as ValidationError: self.init(ExitStatus.usage, code: "invalidValue", error.description)
        default: self.init(ExitStatus.fault, code: "fault", "Internal error of Baton: \(error)")
        }
    }

    /// Converts a refusal without advice.
    init(_ refusal: Refusal) {
        self.init(refusal, advice: nil)
    }

    /// Converts a refusal.
    init(_ refusal: Refusal, advice: String?) {
        self.init(
            ExitStatus.of(refusal.code),
            code: refusal.code.rawValue,
            refusal.message,
            path: refusal.path,
            advice: advice
        )
    }

    init(_ error: ClientError) {
        if let refusal = error.refusal {
            self.init(refusal, advice: Advice.about(refusal, of: error.request))
            return
        }
        if let error = error.keyError {
            self.init(error)
            return
        }
        let (status, code) =
            switch error.code {
            case .invalidEndpoint: (ExitStatus.usage, "invalidAddress")
            case .tooLarge: (ExitStatus.refusedInput, "invalid")
            case .unknownHost, .unreachable: (ExitStatus.unreachable, "unreachable")
            case .notCoordinator: (ExitStatus.unreachable, "notCoordinator")
            case .silent: (ExitStatus.unreachable, "silent")
            case .keyRefused: (ExitStatus.notAllowed, "keyRefused")
            case .keyMismatch: (ExitStatus.notAllowed, "keyMismatch")
            case .standby: (ExitStatus.unreachable, "standby")
            case .lost: (ExitStatus.unreachable, "lost")
            case .timedOut: (ExitStatus.unreachable, "noAnswer")
            case .submissionUnanswered: (ExitStatus.unreachable, "unanswered")
            // Malformed replies, a lack of resources, and ends of the connection that no command asks for.
            default: (ExitStatus.fault, "fault")
            }
        self.init(status, code: code, error.message, advice: Advice.about(error))
    }

    private init(_ error: CoordinatorError) {
        if let error = error.keyError {
            self.init(error)
            return
        }
        let (status, code) =
            switch error.code {
            case .addressInUse: (ExitStatus.unreachable, "addressInUse")
            // An address may appear later, for example from DHCP: a service manager that restarts the coordinator tries again.
            case .addressMissing: (ExitStatus.unreachable, "addressMissing")
            case .badAddress: (ExitStatus.usage, "badAddress")
            // The clock may be set soon, such as by NTP after the start of the host.
            case .clock: (ExitStatus.fault, "clock")
            case .storeInUse, .storeLocked: (ExitStatus.unreachable, "storeInUse")
            case .stateInUse: (ExitStatus.unreachable, "stateInUse")
            case .storeUnreachable: (ExitStatus.unreachable, "storeUnreachable")
            case .storeLibrary: (ExitStatus.unreachable, "storeLibrary")
            case .deposed: (ExitStatus.unreachable, "deposed")
            case .badOptions: (ExitStatus.usage, "invalidValue")
            // Another coordinator of the record has another key.
            case .keys: (ExitStatus.notAllowed, "keyMismatch")
            case .storeNotAccessible: (ExitStatus.ofUnusable(mayPass: error.mayPass), "storeNotAccessible")
            case .storeIncomplete: (ExitStatus.refusedInput, "storeIncomplete")
            case .storeUnreadable, .storeElsewhere: (ExitStatus.refusedInput, "storeUnreadable")
            // A lack of resources, and failures of the system.
            default: (ExitStatus.fault, "fault")
            }
        self.init(status, code: code, error.message, advice: Advice.about(error))
    }

    /// Converts the reason why a web interface cannot be had.
    init(_ error: HTTPServerError) {
        let (status, code) =
            switch error.code {
            case .badAddress: (ExitStatus.usage, "badAddress")
            case .notPermitted, .tlsUnusable: (ExitStatus.notAllowed, "http")
            case .libraryMissing, .addressInUse, .addressNotAvailable, .tlsMissing: (ExitStatus.unreachable, "http")
            case .other: (ExitStatus.fault, "http")
            }
        self.init(status, code: code, error.description)
    }

    /// Converts a reason in the keys; its code follows the word key.
    private init(_ error: KeyError) {
        let status =
            switch error.code {
            case .unknownKey: ExitStatus.notFound
            case .nameInUse, .keyInUse, .tableFull: ExitStatus.refusedInput
            // A key for use is not allowed in; a token to join is input.
            case .invalidToken, .otherVersion:
                error.variable == nil && error.path == nil ? ExitStatus.refusedInput : ExitStatus.notAllowed
            case .noRoom: ExitStatus.fault
            case .notAccessible: ExitStatus.ofUnusable(mayPass: error.mayPass)
            case .inUse, .unsupported: ExitStatus.unreachable
            default: ExitStatus.notAllowed
            }
        self.init(status, code: error.code.rawValue, error.message, advice: Advice.about(error))
    }

    private init(_ error: WorkerError) {
        let (status, code) =
            switch error.code {
            case .invalid: (ExitStatus.usage, "invalid")
            case .directoryInUse: (ExitStatus.unreachable, "directory")
            case .directory, .noName: (ExitStatus.ofUnusable(mayPass: error.mayPass), "directory")
            case .controlGroup: (ExitStatus.notAllowed, "controlGroup")
            case .addressInUse: (ExitStatus.unreachable, "addressInUse")
            case .addressMissing: (ExitStatus.unreachable, "addressMissing")
            case .keyRefused: (ExitStatus.notAllowed, "keyRefused")
            case .keyMismatch: (ExitStatus.notAllowed, "keyMismatch")
            case .refused where error.refusal?.code == .notAllowed: (ExitStatus.notAllowed, "notAllowed")
            case .unavailable, .superseded, .copied, .refused: (ExitStatus.unreachable, "refused")
            // A lack of resources, and failures of the system.
            default: (ExitStatus.fault, "fault")
            }
        self.init(status, code: code, error.message, advice: Advice.about(error))
    }
}

extension CommandFailure {
    /// The error document for standard error.
    var json: String {
        var document = ErrorDocument(code: code, message: message)
        document.error.path = path
        document.error.advice = advice
        return String(decoding: document.json, as: UTF8.self)
    }
}
