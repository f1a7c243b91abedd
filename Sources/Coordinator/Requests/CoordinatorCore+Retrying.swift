@_spi(Baton) import BatonDocuments
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonScheduler
@_spi(Baton) import BatonStore
@_spi(Baton) import BatonWire
@_spi(Baton) import BatonZeroMQ

/// Submits the unsuccessful operations of a job again (D11).
extension CoordinatorCore {
    /// Creates a new job from the operations to retry.
    ///
    /// Unless the request permits another retry of the same job, it is decided against all retries that are jobs by now: those
    /// in the record, and those that became jobs after the record was asked, of which ``LatestRetries`` knows. So the decision does
    /// not depend on the moment of the reading, which goes on beside the commits: the job may have any number of operations.
    func retry(_ request: RetryRequest, for client: ReplyAddress) {
        if let refusal = storeRefusal() { return send(.refused(refusal), to: client) }
        let (job, operations, groups) = (request.job, request.operations, request.groups)
        let condition =
            request.isAllowedAgain ? nil : UnlessRetried(request: request, moment: latestRetries.moment)
        lookUpBeside(for: client) { store throws(StoreError) in
            let digest = request.selection.digest(of: job, operations, groups: groups, changing: request.changes)
            if let known = try Self.answer(toKey: request.key, digest: digest, store) {
                return .success(.answer(PreparedReply(known.reply, to: client), to: client))
            }
            guard let summary = try store.job(job) else { return .failure(.noSuch(.job(job))) }
            guard summary.finishedAt != nil else { return .failure(.unfinished(job, isOpen: summary.isOpen)) }
            if condition != nil, let last = try store.retries(of: job).last {
                return .success(.retried(job, as: last, try store.job(last)?.counts, from: client))
            }
            guard let old = try store.jobToRetry(job) else { return .failure(.noSuch(.job(job))) }
            var selected = request.selection
            for address in operations {
                guard address.job == job, case .operations(_, let range)? = try Self.storedTarget(address, store) else {
                    return .failure(.noSuch(address))
                }
                selected.operations.append(range)
            }
            for group in groups {
                guard let failed = try store.failures(of: job, inGroup: Int(group)) else {
                    return .failure(.noSuchGroup(group, of: job, count: try store.failureGroups(of: job).count))
                }
                selected.operations += failed
            }
            var submission: Submission
            do throws(Refusal) {
                let found = try Submission.retrying(old, selecting: selected, changing: request.changes)
                guard let retry = found else {
                    return .failure(.nothingToRetry(operations.isEmpty ? [.job(job)] : operations, of: old, selected))
                }
                submission = retry
            } catch {
                return .failure(error)
            }
            for needed in submission.jobsBefore where try store.job(needed) == nil {
                let sentence =
                    "Job \(job) cannot be submitted again as it was: it depends on job \(needed), which was removed some time "
                    + "after it had finished. Submit it anew, with what it needs."
                return .failure(Refusal(.unknownDependency, sentence))
            }
            (submission.key, submission.keyDigest) = (request.key, digest)
            submission.rejectsUnplaceable = request.rejectsUnplaceable
            do throws(Refusal) {
                let validated = try ValidatedSubmission(submission)
                return .success(.retry(validated, condition, JobParts(validated.submission), from: client))
            } catch {
                return .failure(error)
            }
        }
    }

    /// Refuses another retry of a job, and says what has become of the last one.
    ///
    /// - Parameter counts: the counts of the last retry in the record; nil if it was unfinished when the record was read.
    func refuseRetry(of job: JobNumber, retriedAs last: JobNumber, _ counts: JobCounts?, for client: ReplyAddress) {
        var text = "\(last)"
        if let counts = scheduler.counts(of: last) ?? counts {
            let isOpen = scheduler.isOpen(last)
            let state = counts.state(isOpen: isOpen)
            text = JobRetry(job: last, state: state, outcome: isOpen ? nil : counts.outcome).text
        }
        send(.refused(Refusal(.retried, "Job \(job) was retried already, as \(text).")), to: client)
    }
}

extension Refusal {
    /// Refuses the number of a group that a job does not have.
    fileprivate static func noSuchGroup(_ group: UInt32, of job: JobNumber, count: Int) -> Refusal {
        let groups = count == 0 ? "no failures" : count == 1 ? "one group of failures" : "\(count) groups of failures"
        return Refusal(.notFound, "Job \(job) has \(groups); there is no group \(group).")
    }

    /// Refuses a retry whose selection contains no operation.
    fileprivate static func nothingToRetry(
        _ addresses: [Address],
        of job: JobToRetry,
        _ selection: RetrySelection
    ) -> Refusal {
        var selection = selection
        let name = addresses.count == 1 ? addresses[0].description : "these"
        var sentence =
            "There is nothing to submit again of \(name): nothing failed, or was skipped because of a failure."
        if !selection.includesCancelled {
            selection.includesCancelled = true
            if job.hasOperations(for: selection) {
                sentence +=
                    " Some of it was cancelled, and a retry submits cancelled operations on request only (--cancelled)."
            }
        } else {
            sentence += " Nothing was cancelled either."
        }
        return Refusal(.invalid, sentence)
    }
}

extension Submission {
    /// The jobs that the operations depend on, in the order of their numbers.
    fileprivate var jobsBefore: [JobNumber] {
        var jobs: Set<JobNumber> = []
        for address in entries.lazy.flatMap(\.dependencies).compactMap(\.target.address) { jobs.insert(address.job) }
        return jobs.sorted()
    }
}
