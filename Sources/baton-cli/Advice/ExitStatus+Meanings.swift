/// The exit statuses for readers of the manual.
extension ExitStatus {
    /// Each status with its meaning.
    static let meanings: [(status: Int32, meaning: String)] = [
        (success, "All that was named succeeded. An operation that was not needed counts as success."),
        (operationFailed, "An operation failed, was cancelled, or was skipped because of one that did."),
        (usage, "The command line cannot be used as given."),
        (refusedInput, "The input was refused: a cycle, an invalid graph, an unknown dependency, a damaged record."),
        (
            notFound,
            "No such file, job, operation, queue or worker; for result and fetch, an operation without a result or without files."
        ),
        (
            unreachable,
            "No coordinator can be reached, the record's server or its library is missing, or a name, port or record is in use."
        ),
        (
            fault,
            "A fault of Baton itself, or an obstacle that may pass: a disk that is full, read-only or failing, no "
                + "descriptor or memory left, a wrong clock."
        ),
        (
            incomplete,
            "Bytes of the output or of the files that were asked for are missing: they are no longer kept, or their worker is not connected."
        ),
        (
            notAllowed,
            "A key that is missing, is not admitted, or does not permit the request; a file or directory that cannot be used."
        ),
        (
            timedOut,
            "The --timeout of wait or shutdown ran out; for run, the operation's own timeout ended it, or its deadline passed."
        ),
        (notRun, "The command run could not run the operation, or the operation was skipped or lost."),
        (signal(1), "The terminal of run or attach hung up, and the job goes on."),
        (signal(3), "Somebody left run or attach, and the job goes on."),
        (signal(9), "The operation of run used more than its --memory, or SIGKILL ended it."),
        (signal(13), "Nobody reads the output any more; the job of run or attach goes on."),
        (cancelled, "A cancellation ended the operation of run."),
    ]

    /// The statuses of a command that shows a job of one operation.
    static let ofRun = """
        run and attach exit as the only operation of their job did: with its exit status, or with 128 and the number of the \
        signal that ended it.
        """
}
