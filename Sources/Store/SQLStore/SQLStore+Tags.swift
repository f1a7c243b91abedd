@_spi(Baton) public import BatonOperations

/// The tags of jobs, and the jobs with some tags.
@_spi(Baton) extension SQLStore {
    /// The most index entries that one search reads: a search for two tags also reads the jobs that have only the first tag.
    private static let mostSteps = 20_000

    /// Finds jobs by their tags.
    ///
    /// The search goes from the newest job of one tag to the newest job of the next tag at or below it, and so on, until all
    /// tags meet in a job. It takes as many steps as the rarest tag has jobs, times the number of tags.
    ///
    /// - Complexity: O(steps · log tags).
    public func jobs(
        tagged tags: [String: String],
        before: JobNumber?,
        limit: Int
    ) throws(StoreError) -> TaggedJobs {
        try with { statements throws(SQLError) in
            var found = TaggedJobs()
            let tags = tags.sorted { $0.key < $1.key }
            var bound = before.map { Int64($0.rawValue) } ?? .max
            while found.jobs.count < limit, !tags.isEmpty {
                guard let job = try Self.newestJob(with: tags, below: &bound, &found.steps, statements) else {
                    // The search is over, or has used up its steps.
                    found.next = bound > 0 ? UInt32(exactly: bound).map { JobNumber($0) } : nil
                    return found
                }
                bound = Int64(job.rawValue)
                statements.jobs.job.bind(.job, job.rawValue)
                // The tags of a deleted job may be there for a while.
                if let summary = try statements.jobs.job.first({ row throws(SQLError) in try row.jobSummary() }) {
                    found.jobs.append(summary)
                }
            }
            found.next = UInt32(exactly: bound).map { JobNumber($0) }
            return found
        }
    }

    /// Returns the newest job below a number that has all tags; nil if there is none, or the steps are used up.
    ///
    /// - Parameter bound: becomes the number below which to go on after the last step; 0 if there is no such job.
    private static func newestJob(
        with tags: [(key: String, value: String)],
        below bound: inout Int64,
        _ steps: inout Int,
        _ statements: Statements
    ) throws(SQLError) -> JobNumber? {
        var candidate: Int64?
        var agreed = 0
        while agreed < tags.count {
            guard steps < mostSteps else { return nil }
            let tag = tags[steps % tags.count]
            steps += 1
            statements.jobs.jobTagged.bind(.tag, text: tag.key)
            statements.jobs.jobTagged.bind(.value, text: tag.value)
            statements.jobs.jobTagged.bind(.end, bound)
            let newest = try statements.jobs.jobTagged.first { row throws(SQLError) in
                try row.number(0, as: Int64.self)
            }
            guard let newest else {
                bound = 0
                return nil
            }
            agreed = newest == candidate ? agreed + 1 : 1
            candidate = newest
            bound = newest + 1
        }
        return candidate.flatMap { UInt32(exactly: $0) }.map { JobNumber($0) }
    }

    /// Notes the tags of a new job.
    static func insertTags(of job: JobRecord, _ statements: Statements) throws(SQLError) {
        for (key, value) in job.submission.settings.tags {
            statements.jobs.insertTag.bind(TagColumn.job, job.number.rawValue)
            statements.jobs.insertTag.bind(TagColumn.tag, text: key)
            statements.jobs.insertTag.bind(TagColumn.value, text: value)
            try statements.jobs.insertTag.run()
        }
    }
}
