/// The version of the tables that know what a submission says about its job as a whole.
extension Schema {
    /// Version 17: the settings of jobs.
    static let version17 = """
        -- settings: what the submission says about the job as a whole, a JSON object with the keys of graph files, such as
        -- maxFailures and hooks; NULL: nothing. Durations are whole microseconds.
        ALTER TABLE jobs ADD COLUMN settings TEXT;
        """
}
