public import Operations

/// A dependency that left a result, and the name under which the dependent sees it.
public struct ResultSource: Hashable, Sendable {
    /// Who left it.
    public var operation: OperationID
    /// The name of the file (`BATON_INPUTS`) that the dependent finds it in.
    ///
    /// It is the operation's name, or its index in the job where it has none; of an element of a named array `NAME.POSITION`,
    /// with its position in the array from 0; of another job, `JOB.` before that.
    public var fileName: String

    /// Describes a source.
    public init(operation: OperationID, fileName: String) {
        self.operation = operation
        self.fileName = fileName
    }
}
