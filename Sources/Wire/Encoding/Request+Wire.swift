@_spi(Baton) import BatonOperations

@_spi(Baton) extension Request: WireCodable {
    static let minimumLength = 2

    func write(to writer: inout ByteWriter) {
        switch self {
        case .submit(let submission):
            if let sent = submission.sent {
                writer.byte(54)
                writer.flag(submission.rejectsUnplaceable)
                writer.varint(sent.entry)
                writer.list(sent.files)
            } else {
                writer.byte(submission.rejectsUnplaceable ? 27 : 0)
            }
            writer.value(submission)
            writer.value(submission.settings)
            writer.flag(submission.isOpen)
        case .add(let submission, let job):
            writer.byte(submission.rejectsUnplaceable ? 29 : 25)
            writer.value(job)
            writer.value(submission)
        case .close(let jobs):
            writer.byte(26)
            writer.list(jobs)
        case .wait(let addresses, let queue, let time, let waiter, let since, let partial, let outputs):
            writer.byte(outputs ? 55 : 1)
            writer.list(addresses)
            writer.optional(queue) { $0.text($1) }
            writer.value(time)
            writer.optional(waiter)
            writer.optional(since)
            writer.flag(partial)
        case .cancel(let addresses, let queue):
            writer.byte(2)
            writer.list(addresses)
            writer.optional(queue) { $0.text($1) }
        case .setQueue(let change):
            writer.byte(3)
            writer.value(change)
        case .deleteQueue(let name):
            writer.byte(24)
            writer.text(name)
        case .document(let document):
            writer.byte(4)
            writer.value(document)
        case .log(let address, let attempt, let stream, let offset, let limit):
            writer.byte(5)
            writer.value(address)
            writer.optional(attempt) { $0.varint($1) }
            writer.value(stream)
            writer.varint(offset)
            writer.varint(limit)
        case .result(let address):
            writer.byte(6)
            writer.value(address)
        case .filePiece(let address, let path, let offset, let limit):
            writer.byte(51)
            writer.value(address)
            writer.text(path)
            writer.varint(offset)
            writer.varint(limit)
        case .missingFiles(let digests, let bytes):
            writer.byte(52)
            writer.list(digests)
            writer.varint(UInt64(max(0, bytes)))
        case .sentPiece(let piece):
            writer.byte(53)
            writer.value(piece)
        case .hold(let addresses):
            writer.byte(7)
            writer.list(addresses)
        case .release(let addresses):
            writer.byte(8)
            writer.list(addresses)
        case .pause(let addresses):
            writer.byte(40)
            writer.list(addresses)
        case .resume(let addresses):
            writer.byte(41)
            writer.list(addresses)
        case .signal(let addresses, let signal):
            writer.byte(42)
            writer.list(addresses)
            writer.value(signal)
        case .setPriority(let addresses, let priority):
            writer.byte(9)
            writer.list(addresses)
            writer.value(priority)
        case .depend(let address, let dependencies):
            writer.byte(10)
            writer.value(address)
            writer.list(dependencies)
        case .undepend(let address, let targets):
            writer.byte(11)
            writer.value(address)
            writer.list(targets)
        case .retry(
            let job,
            let operations,
            let groups,
            let cancelled,
            let dependents,
            let again,
            let rejects,
            let key,
            let changes
        ):
            if changes.isEmpty {
                writer.byte(rejects ? (again ? 30 : 31) : (again ? 12 : 28))
            } else {
                writer.byte(50)
                writer.flag(again)
                writer.flag(rejects)
                writer.value(changes)
            }
            writer.value(job)
            writer.list(operations)
            writer.list(groups) { $0.varint($1) }
            writer.flag(cancelled)
            writer.flag(dependents)
            writer.text(key)
        case .reportProgress(let operation, let attempt, let progress):
            writer.byte(13)
            writer.value(operation)
            writer.varint(attempt)
            writer.value(progress)
        case .watch(let since, let limit, let time, let selection):
            writer.byte(14)
            writer.optional(since) { $0.varint($1) }
            writer.varint(limit)
            writer.value(time)
            writer.optional(selection)
        case .addCommand(let address, let command):
            writer.byte(15)
            writer.value(address)
            writer.list(command) { $0.text($1) }
        case .drain(let workers):
            writer.byte(16)
            writer.list(workers) { $0.text($1) }
        case .undrain(let workers):
            writer.byte(17)
            writer.list(workers) { $0.text($1) }
        case .stop(let workers, let isImmediate):
            writer.byte(18)
            writer.list(workers) { $0.text($1) }
            writer.flag(isImmediate)
        case .forget(let workers):
            writer.byte(19)
            writer.list(workers) { $0.text($1) }
        case .delete(let jobs):
            writer.byte(23)
            writer.list(jobs)
        case .waitForWorkers(let workers, let time):
            writer.byte(20)
            writer.list(workers) { $0.text($1) }
            writer.value(time)
        case .outputs(let selection):
            writer.byte(21)
            writer.value(selection)
        case .history(let selection):
            writer.byte(22)
            writer.value(selection)
        case .addSchedule(let settings, let submission):
            writer.byte(43)
            writer.value(settings)
            writer.value(submission)
            writer.value(submission.settings)
            writer.flag(submission.rejectsUnplaceable)
        case .changeSchedule(let name, let change):
            writer.byte(44)
            writer.text(name)
            writer.choice(change)
        case .startSchedule(let name, let key):
            writer.byte(45)
            writer.text(name)
            writer.text(key)
        case .setLimit(let change):
            writer.byte(48)
            writer.text(change.name)
            writer.optional(change.units) { $0.varint($1) }
        }
    }

    init(from reader: inout ByteReader) throws(WireError) {
        let kind = try reader.byte("the request's kind")
        guard Self.isSubmission(kind) || reader.remaining <= WireLimits.maximumQuestionLength else {
            throw reader.malformed(
                "the request",
                "has more than \(WireLimits.maximumQuestionLength >> 10) KiB, which only a submission may have"
            )
        }
        switch kind {
        case 0, 27, 54:
            reader.message = "submit"
            var (rejects, sent) = (kind == 27, SentFiles?.none)
            if kind == 54 {
                rejects = try reader.flag("whether what nobody can take is refused")
                sent = SentFiles(
                    entry: try reader.varint("the entry of the files"),
                    files: try reader.filesOfAttempt("the files of the submitter")
                )
            }
            var submission: Submission = try reader.value()
            submission.settings = try reader.value()
            submission.isOpen = try reader.flag("whether the job is open")
            submission.rejectsUnplaceable = rejects
            submission.sent = sent
            self = .submit(submission)
        case 1, 55:
            reader.message = "wait"
            self = .wait(
                try Self.addresses(from: &reader),
                queue: try Self.queue(from: &reader),
                atMost: try reader.value(),
                waiter: try reader.optional("the operation that waits"),
                since: try reader.optional("the beginning of the wait"),
                partial: try reader.flag("whether partial progress is wanted"),
                outputs: kind == 55
            )
        case 2:
            reader.message = "cancel"
            self = .cancel(try Self.addresses(from: &reader), queue: try Self.queue(from: &reader))
        case 3:
            reader.message = "setQueue"
            self = .setQueue(try reader.value())
        case 4:
            reader.message = "document"
            self = .document(try reader.value())
        case 5:
            reader.message = "log"
            self = .log(
                try reader.value(),
                attempt: try reader.optional("the attempt") { reader throws(WireError) in
                    try reader.varint("the attempt")
                },
                try reader.value(),
                offset: try reader.varint("the offset"),
                limit: try reader.varint("the limit")
            )
        case 6:
            reader.message = "result"
            self = .result(try reader.value())
        case 7:
            reader.message = "hold"
            self = .hold(try Self.addresses(from: &reader))
        case 8:
            reader.message = "release"
            self = .release(try Self.addresses(from: &reader))
        case 9:
            reader.message = "setPriority"
            self = .setPriority(try Self.addresses(from: &reader), try reader.value())
        case 10:
            reader.message = "depend"
            self = .depend(try reader.value(), try Self.dependencies(from: &reader))
        case 11:
            reader.message = "undepend"
            self = .undepend(try reader.value(), try Self.addresses(from: &reader))
        // Earlier clients have asked their users about another retry themselves, if at all.
        case 12, 28, 30, 31, 50:
            reader.message = "retry"
            var (again, rejects, changes) = (kind == 12 || kind == 30, kind == 30 || kind == 31, RetryChanges())
            if kind == 50 {
                again = try reader.flag("whether another retry is meant")
                rejects = try reader.flag("whether what nobody can take is refused")
                changes = try reader.value()
            }
            self = .retry(
                try reader.value(),
                operations: try reader.list("the addresses"),
                groups: try reader.list("the groups", minimumLength: 1) { reader throws(WireError) in
                    try reader.varint("a group")
                },
                cancelled: try reader.flag("whether what was cancelled is retried"),
                dependents: try reader.flag("whether dependents are retried"),
                again: again,
                rejectsUnplaceable: rejects,
                key: try reader.name("the key"),
                changes: changes
            )
        case 13:
            reader.message = "reportProgress"
            self = .reportProgress(
                try reader.value(),
                attempt: try reader.varint("the attempt"),
                try reader.value()
            )
        case 14:
            reader.message = "watch"
            self = .watch(
                since: try reader.optional("the number of an event") { reader throws(WireError) in
                    try reader.varint("the number of an event")
                },
                limit: try reader.varint("the limit"),
                atMost: try reader.value(),
                of: try reader.optional("the selection")
            )
        case 15:
            reader.message = "addCommand"
            self = .addCommand(
                try reader.value(),
                try reader.list("the command", minimumLength: 1) { reader throws(WireError) in
                    try reader.text("an argument")
                }
            )
        case 16:
            reader.message = "drain"
            self = .drain(try Self.workers(from: &reader))
        case 17:
            reader.message = "undrain"
            self = .undrain(try Self.workers(from: &reader))
        case 18:
            reader.message = "stop"
            self = .stop(
                try Self.workers(from: &reader),
                isImmediate: try reader.flag("whether what runs is ended now")
            )
        case 19:
            reader.message = "forget"
            self = .forget(try Self.workers(from: &reader))
        case 20:
            reader.message = "waitForWorkers"
            self = .waitForWorkers(try Self.workers(from: &reader), atMost: try reader.value())
        case 21:
            reader.message = "outputs"
            self = .outputs(try reader.value())
        case 22:
            reader.message = "history"
            self = .history(try reader.value())
        case 23:
            reader.message = "delete"
            self = .delete(try reader.list("the jobs", atMost: WireLimits.maximumAddressCount))
        case 24:
            reader.message = "deleteQueue"
            self = .deleteQueue(try reader.name("the queue's name"))
        case 25, 29:
            reader.message = "add"
            let job: JobNumber = try reader.value()
            var submission: Submission = try reader.value()
            submission.rejectsUnplaceable = kind == 29
            self = .add(submission, to: job)
        case 26:
            reader.message = "close"
            self = .close(try reader.list("the jobs", atMost: WireLimits.maximumAddressCount))
        case 40:
            reader.message = "pause"
            self = .pause(try Self.addresses(from: &reader))
        case 41:
            reader.message = "resume"
            self = .resume(try Self.addresses(from: &reader))
        case 42:
            reader.message = "signal"
            self = .signal(try Self.addresses(from: &reader), try reader.value())
        case 43:
            reader.message = "addSchedule"
            // The coordinator checks the submission, and keeps it in memory.
            guard reader.remaining <= ScheduleRecord.maximumRequestLength else {
                throw reader.malformed(
                    "the request",
                    "has more than \(ScheduleRecord.maximumRequestLength >> 20) MiB, which a schedule may not submit"
                )
            }
            let settings: ScheduleSettings = try reader.value()
            var submission: Submission = try reader.value()
            submission.settings = try reader.value()
            submission.rejectsUnplaceable = try reader.flag("whether what nobody can take is refused")
            self = .addSchedule(settings, submission)
        case 44:
            reader.message = "changeSchedule"
            self = .changeSchedule(
                try reader.name("the schedule's name"),
                try reader.choice("what to do with the schedule")
            )
        case 45:
            reader.message = "startSchedule"
            self = .startSchedule(try reader.name("the schedule's name"), key: try reader.name("the key"))
        case 48:
            reader.message = "setLimit"
            self = .setLimit(
                LimitChange(
                    try reader.name("the limit's name"),
                    units: try reader.optional("the units") { reader throws(WireError) in
                        try reader.varint("the units")
                    }
                )
            )
        case 51:
            reader.message = "filePiece"
            self = .filePiece(
                try reader.value(),
                path: try reader.filePath(),
                offset: try reader.varint("the offset in a file"),
                limit: try reader.varint("the limit")
            )
        case 52:
            reader.message = "missingFiles"
            let digests = try reader.digests()
            let bytes: UInt64 = try reader.varint("the number of bytes")
            self = .missingFiles(digests, bytes: Int64(clamping: bytes))
        case 53:
            reader.message = "sentPiece"
            self = .sentPiece(try reader.value())
        case let other: throw reader.unknown("the request's kind", other)
        }
    }

    /// Whether a request of a kind has a submission, and so any length.
    private static func isSubmission(_ kind: UInt8) -> Bool { [0, 25, 27, 29, 43, 54].contains(kind) }

    private static func workers(from reader: inout ByteReader) throws(WireError) -> [String] {
        try reader.list("the workers", minimumLength: 1, atMost: WireLimits.maximumAddressCount) {
            reader throws(WireError) in
            try reader.name("a worker's name")
        }
    }

    private static func addresses(from reader: inout ByteReader) throws(WireError) -> [Address] {
        try reader.list("the addresses", atMost: WireLimits.maximumAddressCount)
    }

    private static func dependencies(from reader: inout ByteReader) throws(WireError) -> [ExistingDependency] {
        try reader.list("the dependencies", atMost: WireLimits.maximumAddressCount)
    }

    private static func queue(from reader: inout ByteReader) throws(WireError) -> String? {
        try reader.optional("the queue's name") { reader throws(WireError) in
            try reader.name("the queue's name")
        }
    }
}
