@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonStore

extension LookedUpSubmission {
    /// Whether the operations may take results of an earlier job, for which the record has not been asked.
    var isReuseUnknown: Bool { submission.settings.reuse != nil && !isReuseKnown }

    /// Notes which operations take results of the earlier job that the submission names, if it names one.
    ///
    /// - Returns: a refusal if there is no such job, or if it is not finished.
    mutating func noteReused(_ store: any RecordReader) throws(StoreError) -> Refusal? {
        guard isReuseUnknown, let job = submission.settings.reuse else { return nil }
        guard let summary = try store.job(job) else { return .noSuch(.job(job)) }
        guard summary.finishedAt != nil else { return .unfinished(job, isOpen: summary.isOpen) }
        guard let old = try store.jobToRetry(job) else { return .noSuch(.job(job)) }
        let sent = try sameFiles(in: old, store)
        do throws(Refusal) {
            try validated.noteReused(from: old, without: lostSources, sent: sent)
        } catch {
            return error
        }
        let withFiles = validated.reused.filter(\.hasFiles).map(\.source)
        if !withFiles.isEmpty { reusedFiles = try store.fileSources(of: withFiles) }
        isReuseKnown = true
        return nil
    }

    /// The operation of the earlier job that has the same files of the submitter as the submission; nil without one.
    private func sameFiles(in old: JobToRetry, _ store: any RecordReader) throws(StoreError) -> UInt32? {
        guard let sent = submission.sent else { return nil }
        var index: UInt32 = 0
        for entry in old.job.submission.entries {
            if entry.name == SentFiles.name {
                let known = try store.files(of: OperationID(job: old.job.number, index: index))
                return Set(known) == Set(sent.files) ? index : nil
            }
            index += UInt32(entry.count)
        }
        return nil
    }

    /// Leaves out operations of the earlier job whose files nobody keeps any more: the record has to be asked once more.
    ///
    /// An operation that is left out runs again, and so does each that needs it: they may have other files then.
    mutating func dropLostSources(isHeld: (FileSource) -> Bool) {
        guard isReuseKnown, !reusedFiles.isEmpty else { return }
        let lost = reusedFiles.filter { !isHeld($0) }
        guard !lost.isEmpty else { return }
        lostSources.formUnion(lost.map(\.operation.index))
        reusedFiles = []
        isReuseKnown = false
    }
}
