@_spi(Baton) public import BatonJSON
@_spi(Baton) import BatonOperations

/// How much of the cluster a reader of documents sees.
///
/// All documents for a reader pass ``Document/write(to:for:)``, and this file alone says what content is.
@_spi(Baton) public enum Disclosure: Hashable, Sendable {
    /// Everything that documents have.
    case everything
    /// The state of operations, without what they do and return.
    case state
}

@_spi(Baton) extension Document {
    /// The document's text for a reader.
    public func json(for disclosure: Disclosure) -> [UInt8] {
        var writer = JSONWriter()
        write(to: &writer, for: disclosure)
        return writer.bytes
    }

    /// Writes the document for a reader as the next value.
    public func write(to writer: inout JSONWriter, for disclosure: Disclosure) {
        switch disclosure {
        case .everything: write(to: &writer)
        case .state: withoutContent.write(to: &writer)
        }
    }

    /// The document for a reader who may not see what operations do and return.
    public var withoutContent: Self {
        var copy = self
        copy.conceal()
        return copy
    }
}

@_spi(Baton) extension OperationDocument {
    /// Takes away what the operation does, and a sentence that may quote it.
    ///
    /// A progress message is what the operation writes, as its output is; the finished part is a number, and stays.
    public mutating func conceal() {
        concealMembers()
        filledCommands = nil
        message = reason?.sentence ?? message
    }
}

@_spi(Baton) extension EventDocument {
    /// Takes away the message with which an operation reports its progress.
    public mutating func conceal() { message = nil }
}

@_spi(Baton) extension AttemptDocument {
    /// Takes away a sentence that may quote the operation's content.
    public mutating func conceal() { message = reason.sentence ?? message }
}

@_spi(Baton) extension HookDocument {
    /// Takes away standard error, and a sentence that may quote the hook's content.
    public mutating func conceal() {
        concealMembers()
        message = reason?.sentence ?? message
    }
}

@_spi(Baton) extension FailuresDocument.Group {
    /// Takes away standard error and items, and a sentence that may quote the operation's content.
    public mutating func conceal() {
        concealMembers()
        items = items.map { _ in nil }
        message = reason.sentence ?? message
    }
}

@_spi(Baton) extension SettingsDocument {
    /// Takes away commands, directories and files; of the environment the names are left.
    public mutating func conceal() { hide(where: \.isContent) }
}

@_spi(Baton) extension WorkersDocument.Worker {
    /// Puts a general sentence for a fault, which may quote a command that the worker could not start.
    public mutating func conceal() { reason = reason.map { _ in .generalFault } }
}

@_spi(Baton) extension OverviewDocument.Worker {
    /// Puts a general sentence for a fault.
    public mutating func conceal() { reason = reason.map { _ in .generalFault } }
}

@_spi(Baton) extension StatusDocument.Failing {
    /// Puts a general sentence for the fault.
    public mutating func conceal() { reason = .generalFault }
}

@_spi(Baton) extension WaitReason {
    /// Puts a general sentence for the fault of a worker.
    public mutating func conceal() {
        concealMembers()
        if kind == .failing { message = .generalFault }
    }
}

extension Reason.Code {
    /// A sentence in place of one that may quote a command, a path or an error; nil if the code's sentences quote nothing.
    fileprivate var sentence: String? {
        switch self {
        case .launch: "It could not be started."
        case .result: "Its result cannot be used."
        case .files: "Its files cannot be kept."
        case .error: "It threw an error."
        // The fault of a worker is part of the sentence, and may quote the command.
        case .lost: "It was lost with its worker."
        case .exit, .signal, .timeout, .memory, .input, .dependency, .notNeeded, .cancelled, .deadline, .reused,
            .sent:
            nil
        }
    }
}

extension OperationOption {
    /// Whether the option says what an operation does.
    fileprivate var isContent: Bool {
        switch form {
        case .command, .directory, .file, .outputFile, .data, .columns: true
        case .flag, .number, .word, .priority, .duration, .timeLimit, .durationOrForever, .deadline: false
        case .processors, .size, .amounts, .conditions, .ends, .statuses, .mask: false
        // The names of files are for all to see (FI11).
        case .patterns, .picks: false
        // Documents have the names of variables alone.
        case .variables: false
        }
    }
}

extension String {
    /// The sentence for any fault of a worker.
    static let generalFault = "The worker cannot start operations."
}
