public import BatonOperations

/// One dependency of an operation, as `show` lists it.
public struct DependencyDocument: Document {
    /// What has to end first: an operation's address, or a job's number for all of it.
    public var operation: String
    /// How it has to end.
    public var condition: DependencyCondition

    /// Describes a dependency.
    public init(operation: String, condition: DependencyCondition) {
        self.operation = operation
        self.condition = condition
    }

    /// Writes the dependency.
    public func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("operation", operation)
        writer.member("condition", description: condition)
        writer.endObject()
    }
}
