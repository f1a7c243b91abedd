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
    ///
    /// Of the worker's limit, other files may take the room: the worker can run all else, so that this is no fault of it.
    init(atWorker failure: FileFailure) {
        if let lack = failure.lack {
            end = .noRoom(lack, hasRun: true)
        } else if failure.code == 0 {
            end = .unkeptFiles(failure.description)
        } else {
            end = .workerFault(failure.description, hasRun: true)
        }
    }
}
