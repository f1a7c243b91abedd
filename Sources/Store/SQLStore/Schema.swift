/// The tables of the record, and the steps to them from the tables of earlier versions.
///
/// People can read the tables too: states and outcomes are words, and the views give times as dates. In the tables, times are
/// microseconds since 1970 in UTC and durations (`_us`) are microseconds.
struct Schema: Sendable {
    /// The version of the tables (`PRAGMA user_version`).
    var version: Int
    /// The statements that make the tables of the version in an empty database.
    var tables: String
    /// The steps from the oldest version that is migrated, one a version, in order.
    var migrations: [Migration]

    /// The first version whose records count their commits.
    static let firstVersionWithTally = 4

    /// The oldest version that is migrated.
    var oldestVersion: Int { version - migrations.count }

    /// The tables of this build.
    ///
    /// Version 1 is that of Baton 0.1.0. A change of the tables is made here for new records, raises the version, and appends a
    /// migration for present records.
    static let current = Schema(
        version: 7,
        tables: currentTables,
        migrations: [
            Migration(
                sql: """
                    ALTER TABLE jobs ADD COLUMN was_cancelled INTEGER NOT NULL DEFAULT 0;
                    DROP VIEW job_list;
                    \(jobList)
                    """
            ),
            // Versions 1 and 2 sent operations before their release was on disk.
            Migration(
                sql: """
                    INSERT INTO meta (key, value) SELECT 'first_ordered_job', 1 + max(value, (SELECT coalesce(max(job), 0) FROM jobs))
                        FROM meta WHERE key = 'newest_removed_job';
                    ALTER TABLE hooks ADD COLUMN is_cancelled INTEGER NOT NULL DEFAULT 0;
                    \(hookEnds)
                    DROP INDEX additions_by_key;
                    CREATE UNIQUE INDEX additions_by_key ON additions (key, job) WHERE key IS NOT NULL;
                    """
            ),
            // Without a tally yet, a record that is marked as open would be refused, if the coordinator ends before it makes one.
            Migration(
                sql: """
                    ALTER TABLE meta ADD COLUMN commits INTEGER NOT NULL DEFAULT 0;
                    UPDATE meta SET value = 0 WHERE key = 'is_open';
                    """
            ),
            Migration(sql: "ALTER TABLE attempts ADD COLUMN token INTEGER; \(insertIdentity)"),
            Migration(
                sql: """
                    ALTER TABLE attempts ADD COLUMN memory INTEGER;
                    ALTER TABLE attempts ADD COLUMN timeout_us INTEGER;
                    \(pauses)
                    ALTER TABLE queues ADD COLUMN rate TEXT;
                    \(schedules)
                    \(sharedLimits)
                    """
            ),
            Migration(
                sql: """
                    ALTER TABLE operations ADD COLUMN has_files INTEGER NOT NULL DEFAULT 0;
                    \(files)
                    \(fetches)
                    \(jobsKeepingFiles)
                    \(fileList)
                    """
            ),
        ]
    )

    private static let currentTables = [clusterTables, jobTables, operationTables, historyTables, views]
        .joined(separator: "\n\n")
}
