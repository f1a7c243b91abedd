@_spi(Baton) extension Submission {
    /// Adds the operations of an addition behind those of the submission.
    ///
    /// - Parameter firsts: the index of the first operation of each entry.
    /// - Complexity: O(the addition · log entries), plus O(queues).
    public mutating func append(_ addition: JobAddition, firsts: [UInt32]) {
        let added = addition.submission
        let (templateBase, entryBase) = (templates.count, entries.count)
        templates += added.templates
        let queues = added.queueNames.map { name in
            if let known = queueNames.firstIndex(of: name) { return known }
            queueNames.append(name)
            return queueNames.count - 1
        }
        entries.reserveCapacity(entries.count + added.entries.count)
        for var entry in added.entries {
            entry.template += templateBase
            entry.queue = queues[entry.queue]
            for position in entry.dependencies.indices {
                switch entry.dependencies[position].target {
                case .entry(let target):
                    let resolved =
                        target < added.entries.count
                        ? entryBase + target
                        : Self.entry(startingAt: addition.earlier[target - added.entries.count], firsts)
                    entry.dependencies[position].target = .entry(resolved)
                case .elements(let target): entry.dependencies[position].target = .elements(entryBase + target)
                case .existing, .existingElements, .element: break
                }
            }
            entries.append(entry)
        }
    }

    /// The number of the entry that contains the operation with an index.
    private static func entry(startingAt index: UInt32, _ firsts: [UInt32]) -> Int {
        max(0, firsts.indices.binarySearch { firsts[$0] > index } - 1)
    }

    /// Refuses what a schedule cannot submit again and again.
    ///
    /// - Throws: ``Refusal`` `invalid`, with the broken rule.
    public func checkAsScheduled() throws(Refusal) {
        if isOpen { throw Refusal(.invalid, "The job of a schedule cannot be open: nobody would close it.") }
        if let key, !Submission.isOwn(key: key) {
            throw Refusal(.invalid, "The jobs of a schedule get keys from its name and their times. Leave the key out.")
        }
        if settings.tags[ScheduleSettings.tag] != nil {
            throw Refusal(
                .invalid,
                "The jobs of a schedule get the tag \"\(ScheduleSettings.tag)\" with its name. Leave this tag out."
            )
        }
        if settings.reuse != nil {
            throw Refusal(
                .invalid,
                "The jobs of a schedule cannot take the results of another job, which a later one would find gone. Leave it out."
            )
        }
        if sent != nil {
            throw Refusal(
                .invalid,
                "The jobs of a schedule cannot send files, which a later job would find gone. Keep the files where the workers can read "
                    + "them."
            )
        }
        if entries.contains(where: { $0.dependencies.haveExisting }) {
            throw Refusal(
                .invalid,
                "The operations of a schedule cannot depend on another job, which a later job would find gone. Put all into one graph."
            )
        }
    }

    /// Refuses what an addition to a job cannot say, because it is about the job as a whole.
    ///
    /// - Throws: ``Refusal`` `invalid`, with the broken rule.
    public func checkAsAddition() throws(Refusal) {
        let part: String? =
            if name != nil {
                "a name of the job"
            } else if !settings.tags.isEmpty {
                "tags"
            } else if settings.maxFailures != nil || settings.cancelRunning {
                "a maximum of failures"
            } else if settings.deadline != nil {
                "a deadline of the job"
            } else if settings.keepFiles != nil {
                "a time for which files are kept"
            } else if settings.filesLimit != nil {
                "a limit of the job's files"
            } else if settings.hooks != nil {
                "hooks of the job"
            } else if !queueChanges.isEmpty {
                "settings of queues"
            } else if sent != nil {
                "files that are sent"
            } else if settings.reuse != nil {
                "the results of another job"
            } else if isOpen {
                "that a job is to be opened"
            } else {
                nil
            }
        guard let part else { return }
        throw Refusal(
            .invalid,
            "Operations that are added to a job cannot bring \(part), which the job gets when it is opened. Leave it out."
        )
    }
}
