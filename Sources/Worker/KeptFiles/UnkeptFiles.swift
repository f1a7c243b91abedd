@_spi(Baton) import BatonOperations

/// The files of an attempt cannot be kept, which is its end.
struct UnkeptFiles: Error {
    let end: AttemptEnd

    /// The operation left something that is not kept; the sentence says what, and what to do.
    init(_ sentence: String) { end = .unkeptFiles(sentence) }

    /// A file or directory of the operation cannot be used: the operation's own matter, unless its host is at fault.
    init(atOperation failure: FileFailure) {
        end =
            failure.isHostFault || failure.isDiskFull
            ? .workerFault(failure.description, hasRun: true) : .unkeptFiles(failure.description)
    }

    /// A file cannot be kept in the worker's own directory: the attempt is given back, unless the file itself changes (D9).
    init(atWorker failure: FileFailure) {
        end = failure.code == 0 ? .unkeptFiles(failure.description) : .workerFault(failure.description, hasRun: true)
    }
}
