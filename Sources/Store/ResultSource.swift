public import BatonOperations

/// A dependency that left a result, and the name under which the dependent sees it.
public struct ResultSource: Hashable, Sendable {
    /// Who left it.
    public var operation: OperationID
    /// The name of the file (`BATON_INPUTS`) that the dependent finds it in.
    ///
    /// It is the operation's name; of an element of a named array `NAME.NUMBER`, with its `BATON_INDEX`. `JOB.` stands before
    /// the name of an operation of another job where the dependent depends on that job as a whole, or by the same name on
    /// something in several jobs. An operation without a name is called by its index in the job, or `JOB.INDEX` where it is
    /// in another one.
    ///
    /// So a retried operation finds its inputs under the names that they had, whether they were left in the job that it
    /// comes from or in the retry; those without a name alone are numbered anew.
    public var fileName: String

    /// Describes a source.
    public init(operation: OperationID, fileName: String) {
        self.operation = operation
        self.fileName = fileName
    }
}
