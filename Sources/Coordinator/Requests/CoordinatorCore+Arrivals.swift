@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonScheduler
@_spi(Baton) import BatonStore

/// How far a large job has come into the record.
struct Arrival: Sendable {
    /// The rows, of which some are stored.
    var parts: JobParts
    /// The number reserved for the job; nil before the first part.
    var job: JobNumber?
}

/// Brings large jobs into the record in parts, so that the changes of others are on disk in the meantime.
///
/// With each part, the scheduler takes some of the entries, so that the last turn is short. The scheduler gets the submission once
/// all rows are stored. Its commit then adds the row of the job alone, and the job appears. A job that the scheduler refuses after
/// all, and one that a crash interrupts, leaves rows that are removed like those of a removed job.
extension CoordinatorCore {
    /// Stores the next rows of a large job.
    func storePart(of submission: LookedUpSubmission, _ arrival: Arrival, for client: ReplyAddress) {
        guard let job = arrival.job ?? reserveJob() else {
            // The scheduler has no number for the job either, and says so.
            var submission = submission
            submission.arrival = nil
            return submit(submission, for: client)
        }
        removal.beginArrival(of: job)
        // The scheduler takes each entry three times and each template once, and each of them has a row in a part.
        apply(.arrivalContinued(submission.validated, as: job, entries: 3 * options.rowsOfPart))
        read { [rows = options.rowsOfPart] store throws(StoreError) in
            var parts = arrival.parts
            try store.store(&parts, of: job, rows: rows)
            return parts
        } then: { result in
            .partStored(result, submission, job, from: client)
        }
    }

    /// Goes on after a part of a large job.
    func proceed(
        with submission: LookedUpSubmission,
        _ job: JobNumber,
        _ result: Result<JobParts, StoreError>,
        for client: ReplyAddress
    ) {
        var submission = submission
        switch result {
        case .success(let parts):
            let arrival = Arrival(parts: parts, job: job)
            submission.arrival = arrival
            guard parts.areStored else { return storePart(of: submission, arrival, for: client) }
            submit(submission, for: client)
        case .failure(let error):
            let refusal = Refusal(.storage, "Nothing was changed, because it could not be kept. \(error)")
            refuse(submission.submission, isKeyNew: submission.isKeyNew, with: refusal, for: client)
        }
        if scheduler.isArriving(job) { apply(.arrivalEnded(job)) }
        removal.endArrival(of: job)
        removeFinished()
    }

    /// The parts of a submission that is large by a limit that only tests set.
    func smallParts(of validated: ValidatedSubmission) -> JobParts? {
        guard options.leastRowsInParts < JobParts.leastRows else { return nil }
        return JobParts(validated.submission, leastRows: options.leastRowsInParts)
    }
}
