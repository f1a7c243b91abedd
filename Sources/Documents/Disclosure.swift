@_spi(Baton) import BatonOperations

/// How much of the cluster a reader of documents sees.
///
/// All documents for a reader pass ``Document/json(for:)``, and this file alone says what content is.
@_spi(Baton) public enum Disclosure: Hashable, Sendable {
    /// Everything that documents have.
    case everything
    /// The state of operations, without what they do and return.
    case state
}

@_spi(Baton) extension Document {
    /// The document's text for a reader.
    public func json(for disclosure: Disclosure) -> [UInt8] {
        switch disclosure {
        case .everything: json
        case .state: withoutContent.json
        }
    }

    /// The document itself: most documents have no content.
    public var withoutContent: Self { self }

    /// A copy with a change.
    fileprivate func with(_ change: (inout Self) -> Void) -> Self {
        var copy = self
        change(&copy)
        return copy
    }
}

@_spi(Baton) extension OperationDocument {
    /// The operation without its commands, argument, item, directory, files and progress message, and without sentences that may quote
    /// them.
    ///
    /// A progress message is what the operation writes, as its output is; the finished part is a number, and stays.
    public var withoutContent: OperationDocument {
        with {
            $0.progressMessage = nil
            $0.command = nil
            $0.commands = nil
            $0.argument = nil
            $0.item = nil
            $0.onFinish = nil
            $0.settings = settings.withoutContent
            $0.message = reason?.sentence ?? message
            $0.attempts = attempts?.map(\.withoutContent)
        }
    }
}

@_spi(Baton) extension EventDocument {
    /// The event without the message with which an operation reports its progress.
    public var withoutContent: EventDocument {
        with { $0.message = nil }
    }
}

@_spi(Baton) extension AttemptDocument {
    /// The attempt without a sentence that may quote the operation's content.
    public var withoutContent: AttemptDocument {
        with { $0.message = reason.sentence ?? message }
    }
}

@_spi(Baton) extension JobListDocument {
    /// The jobs without commands.
    public var withoutContent: JobListDocument {
        with { $0.jobs = jobs.map(\.withoutContent) }
    }
}

@_spi(Baton) extension JobListDocument.Job {
    /// The job without its command.
    public var withoutContent: JobListDocument.Job {
        with { $0.command = nil }
    }
}

@_spi(Baton) extension JobDocument {
    /// The job without the commands of its hooks and without the content of its operations.
    public var withoutContent: JobDocument {
        with {
            $0.hooks = nil
            $0.operations = operations.map(\.withoutContent)
        }
    }
}

@_spi(Baton) extension FailuresDocument {
    /// The groups without what operations wrote, and without their items.
    public var withoutContent: FailuresDocument {
        with { $0.failures = failures.map(\.withoutContent) }
    }
}

@_spi(Baton) extension FailuresDocument.Group {
    /// The group without standard error and items, and without a sentence that may quote the operation's content.
    public var withoutContent: FailuresDocument.Group {
        with {
            $0.items = items.map { _ in nil }
            $0.line = nil
            $0.stderr = nil
            $0.message = reason.sentence ?? message
        }
    }
}

@_spi(Baton) extension SettingsDocument {
    /// The options without commands, directories and files; of the environment the names are left.
    public var withoutContent: SettingsDocument {
        with { for option in OperationOption.all where option.isContent { $0.hide(option) } }
    }
}

@_spi(Baton) extension WorkersDocument {
    /// The workers with a general sentence for faults.
    public var withoutContent: WorkersDocument {
        WorkersDocument(workers: workers.map(\.withoutContent))
    }
}

@_spi(Baton) extension WorkersDocument.Worker {
    /// The worker with a general sentence for a fault, which may quote a command that the worker could not start.
    public var withoutContent: WorkersDocument.Worker {
        with { $0.reason = reason.map { _ in String.generalFault } }
    }
}

@_spi(Baton) extension WorkerDocument {
    /// The worker with a general sentence for its fault.
    public var withoutContent: WorkerDocument {
        with { $0.worker = worker.withoutContent }
    }
}

@_spi(Baton) extension StatusDocument {
    /// The status with a general sentence for faults of workers.
    public var withoutContent: StatusDocument {
        with { $0.failing = failing.map(\.withoutContent) }
    }
}

@_spi(Baton) extension StatusDocument.Failing {
    /// The worker with a general sentence for its fault.
    public var withoutContent: StatusDocument.Failing {
        StatusDocument.Failing(worker: worker, reason: .generalFault)
    }
}

@_spi(Baton) extension ExplainDocument {
    /// The explanation with general sentences for faults of workers.
    public var withoutContent: ExplainDocument {
        with { $0.waitsFor = waitsFor.map(\.withoutContent) }
    }
}

@_spi(Baton) extension WaitingDocument {
    /// The reasons with general sentences for faults of workers.
    public var withoutContent: WaitingDocument {
        with { $0.reasons = reasons.map(\.withoutContent) }
    }
}

@_spi(Baton) extension StandstillDocument {
    /// The operations with general sentences for faults of workers.
    public var withoutContent: StandstillDocument {
        StandstillDocument(
            operations: operations.map {
                Operation(operation: $0.operation, waitsFor: $0.waitsFor.map(\.withoutContent))
            }
        )
    }
}

@_spi(Baton) extension OverviewDocument {
    /// The overview without commands, and with a general sentence for faults of workers.
    public var withoutContent: OverviewDocument {
        with {
            $0.jobs = jobs.map { job in job.with { $0.command = nil } }
            $0.troubledWorkers = troubledWorkers.map { worker in
                worker.with { $0.reason = worker.reason.map { _ in String.generalFault } }
            }
        }
    }
}

@_spi(Baton) extension WaitReason {
    /// The reason with a general sentence for faults of workers.
    public var withoutContent: WaitReason {
        with {
            if kind == .failing { $0.message = .generalFault }
            $0.waitsFor = waitsFor?.map(\.withoutContent)
        }
    }
}

extension Reason.Code {
    /// A sentence in place of one that may quote a command, a path or an error; nil if the code's sentences quote nothing.
    fileprivate var sentence: String? {
        switch self {
        case .launch: "It could not be started."
        case .result: "Its result cannot be used."
        case .error: "It threw an error."
        // The fault of a worker is part of the sentence, and may quote the command.
        case .lost: "It was lost with its worker."
        case .exit, .signal, .timeout, .memory, .dependency, .notNeeded, .cancelled: nil
        }
    }
}

extension OperationOption {
    /// Whether the option says what an operation does.
    fileprivate var isContent: Bool {
        switch form {
        case .command, .directory, .file, .outputFile, .data, .columns: true
        case .flag, .number, .word, .priority, .duration, .timeLimit, .durationOrForever: false
        case .processors, .size, .amounts, .conditions: false
        // Documents have the names of variables alone.
        case .variables: false
        }
    }
}

extension String {
    /// The sentence for any fault of a worker.
    static let generalFault = "The worker cannot start operations."
}
