@_spi(Baton) public import BatonOperations

/// A client's request to the coordinator.
@_spi(Baton) public enum Request: Hashable, Sendable {
    /// Make a job of a submission. Answer: `job`.
    case submit(Submission)
    /// Add operations to an open job. Answer: `added`.
    case add(Submission, to: JobNumber)
    /// Close jobs, which then take no further operations. Answer: `changed`.
    case close([JobNumber])
    /// Wait until jobs, operations or a queue are finished. Answer: `progress`, as soon as all are finished, or after the time.
    ///
    /// A client asks again to wait longer, so that a wait survives any failure of the connection or the coordinator (WA8). The
    /// request is refused for a running operation whose wait could never end (WA3). For a queue, operations that ended since a
    /// moment count together with the present operations: the first request has nil for now, and later requests repeat the
    /// moment of the first answer.
    ///
    /// `partial` asks for the progress that executing operations report (``WaitProgress/partial``). `outputs` asks for the output of a
    /// single operation together with its end (``WaitProgress/outputs``); a coordinator of Baton 0.1.0 cannot read a request with it.
    case wait(
        [Address],
        queue: String?,
        atMost: Duration,
        waiter: OperationID?,
        since: RecordMoment? = nil,
        partial: Bool = false,
        outputs: Bool = false
    )
    /// End operations. Answer: `changed`.
    case cancel([Address], queue: String?)
    /// Do not start operations before their release. Answer: `changed`.
    case hold([Address])
    /// Release operations. Answer: `changed`.
    case release([Address])
    /// Pause executing operations: their processes stand still, and so do their timeouts. Answer: `changed`.
    ///
    /// A coordinator of Baton 0.1.0 cannot read this request, nor the next two.
    case pause([Address])
    /// Continue paused operations. Answer: `changed`.
    case resume([Address])
    /// Send a signal to the processes of executing operations. Answer: `changed`.
    case signal([Address], OperationSignal)
    /// Put operations at the tail of another priority. Answer: `changed`.
    case setPriority([Address], Priority)
    /// Add dependencies to an operation, all of them or none. Answer: `changed`.
    case depend(Address, [ExistingDependency])
    /// Remove dependencies of an operation. Answer: `changed`.
    case undepend(Address, [Address])
    /// Add a program, with its arguments, to an operation that has not started (BL2). Answer: `changed`.
    ///
    /// A repeated request adds the program again.
    case addCommand(Address, [String])
    /// Submit the failed operations of a job again, or only the named ones (D11). Answer: `job`.
    ///
    /// `groups` adds the operations of groups of failures, by their numbers, to the named operations; `cancelled` includes
    /// cancelled operations, and `dependents` includes the dependents of all these. Without `again`, a job that has a retry is
    /// refused, and with `rejectsUnplaceable` operations that no worker present can ever take are (D16); `changes` are other
    /// commands and settings of the operations. A coordinator of Baton 0.1.0 cannot read such a request.
    case retry(
        JobNumber,
        operations: [Address] = [],
        groups: [UInt32] = [],
        cancelled: Bool = false,
        dependents: Bool = true,
        again: Bool = true,
        rejectsUnplaceable: Bool = false,
        key: String,
        changes: RetryChanges = RetryChanges()
    )
    /// Report the progress of a running operation, from one of its attempts. Answer: `changed`.
    case reportProgress(OperationID, attempt: UInt32, OperationProgress)
    /// Change a queue's settings, and create a missing queue. Answer: `changed`.
    case setQueue(QueueChange)
    /// Delete a queue without unfinished operations. Answer: `changed`.
    case deleteQueue(String)
    /// Set or remove a limit that several queues share. Answer: `changed`.
    case setLimit(LimitChange)
    /// Give workers nothing new, until ``undrain(_:)``. Answer: `changed`.
    case drain([String])
    /// Let drained workers take operations again. Answer: `changed`.
    case undrain([String])
    /// Ask workers to leave, after their drain timeouts at the latest, or ending now what runs. Answer: `changed`.
    case stop([String], isImmediate: Bool)
    /// Remove lost workers, and drained workers that have left, from the list. Answer: `changed`.
    case forget([String])
    /// Delete finished jobs, all of them or none. Answer: `changed`.
    case delete([JobNumber])
    /// Wait until nothing runs on drained workers. Answer: `progress`, as soon as nothing runs, or after the time.
    ///
    /// A client asks again to wait longer, as for ``wait(_:queue:atMost:waiter:since:)``.
    case waitForWorkers([String], atMost: Duration)
    /// List the events after a number (nil: from now on). Answer: `events`, as soon as there are any, or after the time.
    ///
    /// A client that begins with nil uses a time of zero, and continues from the number in the answer. Nil repeated after a
    /// lost answer would mean a later moment (OB10).
    ///
    /// With a selection, the answer comes as soon as there are any of its events, and its number is that of the last event looked
    /// at.
    case watch(since: UInt64?, limit: UInt32, atMost: Duration, of: EventSelection? = nil)
    /// Add a schedule, which submits a submission without a key again and again (SC1). Answer: `changed`.
    ///
    /// A repeated request changes nothing; another schedule of the name is refused.
    indirect case addSchedule(ScheduleSettings, Submission)
    /// Pause, resume or remove a schedule. Answer: `changed`.
    case changeSchedule(String, ScheduleChange)
    /// Submit now what a schedule submits, with a key, whatever its times are. Answer: `job`.
    case startSchedule(String, key: String)
    /// Get a JSON document. Answer: `document`.
    case document(DocumentRequest)
    /// Get a piece of an operation's output. Answer: `output`.
    case log(Address, attempt: UInt32?, OutputStream, offset: UInt64, limit: UInt32)
    /// Get a page of the outputs of a job. Answer: `outputs`.
    case outputs(OutputSelection)
    /// Get a page of what happened in a job. Answer: `history`.
    case history(HistorySelection)
    /// Get the bytes of an operation's result. Answer: `result`.
    case result(Address)
    /// Get a piece of a file that an operation left. Answer: `filePiece`.
    ///
    /// A coordinator of Baton 0.1.0 cannot read this request.
    case filePiece(Address, path: String, offset: UInt64, limit: UInt32)
    /// Ask which of some contents the coordinator does not keep yet, before files are sent. Answer: `digests`.
    ///
    /// `bytes` is the number of the bytes of all files of the submission, each content once: more than a job may have are refused. A
    /// coordinator of Baton 0.1.0 cannot read this request, nor the next one.
    case missingFiles([ContentDigest], bytes: Int64)
    /// Send a piece of a file that a submission is going to need. Answer: `received`.
    indirect case sentPiece(SentPiece)
}
