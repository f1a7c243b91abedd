@_spi(Baton) public import BatonOperations

/// A dependency with a result, and the name of the result for the dependent.
@_spi(Baton) public struct ResultSource: Hashable, Sendable {
    /// The operation that left the result.
    public var operation: OperationID
    /// The name of the result's file for the dependent (`BATON_INPUTS`).
    ///
    /// The name is the operation's name; for an element of a named array `NAME.NUMBER`, with its `BATON_INDEX`. The prefix
    /// `JOB.` is added for an operation of another job, if the dependent depends on the job as a whole, or on operations of the
    /// same name in several jobs. An operation without a name is called by its index in the job, or `JOB.INDEX` in another job.
    ///
    /// An operation whose inputs are named by items finds `NAME.ITEM` in place of `NAME.NUMBER`. Of elements with the same item, the
    /// first that left a result is called by it, and the others by their numbers, as is an element whose name would be too long.
    ///
    /// A retried operation therefore finds its inputs under their old names, whether the results are in the original job or in
    /// the retry. Only inputs without a name get new numbers.
    public var fileName: String
}
