/// The version of the tables that know what attempts used.
extension Schema {
    /// Version 18: processor time and memory of attempts.
    ///
    /// What earlier attempts used is not known.
    static let version18 = """
        -- What the processes of an attempt used. processor_us: in programs and kernel. peak_memory: the most resident bytes of a
        -- single process. A table of its own, so that sums over a job do not read its output.
        CREATE TABLE usages (
            job INTEGER NOT NULL,
            operation INTEGER NOT NULL,
            attempt INTEGER NOT NULL,
            processor_us INTEGER NOT NULL,
            peak_memory INTEGER NOT NULL,
            PRIMARY KEY (job, operation, attempt)
        ) STRICT, WITHOUT ROWID;

        CREATE VIEW usage_list AS
        SELECT job || '/' || operation AS operation, attempt, processor_us / 1e6 AS processor_seconds, peak_memory FROM usages;
        """
}
