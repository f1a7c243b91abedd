/// The version of the tables that know drained workers.
extension Schema {
    /// Version 15: the workers that get nothing new.
    static let version15 = """
        -- The workers that are to get nothing new, until somebody takes it back. id: the number in the worker's directory.
        -- name: that of the worker at the request. requested_by: the name of a key; NULL: nobody is known.
        CREATE TABLE drains (
            id INTEGER PRIMARY KEY,
            name TEXT NOT NULL,
            requested_by TEXT,
            since INTEGER NOT NULL
        ) STRICT;
        """
}
