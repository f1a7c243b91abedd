/// Puts the operations of a graph together, for the addition of all of them at once.
///
/// ```swift
/// let job = try await queue.addOperations {
///     for path in paths { Resize(path: path, width: 80) }
///     if isPublic { CommandOperation("publish") }
/// }
/// ```
@resultBuilder
public enum OperationsBuilder {
    /// Takes an operation.
    public static func buildExpression(_ operation: DistributedOperation) -> [DistributedOperation] { [operation] }

    /// Takes several operations.
    public static func buildExpression(_ operations: [DistributedOperation]) -> [DistributedOperation] { operations }

    /// Takes an operation written in Swift.
    public static func buildExpression<Work: ClusterOperation>(_ work: Work) -> [DistributedOperation] {
        [RemoteOperation(work)]
    }

    /// Takes a declaration or another statement without operations.
    public static func buildExpression(_: Void) -> [DistributedOperation] { [] }

    /// Joins the operations in their order.
    public static func buildBlock(_ parts: [DistributedOperation]...) -> [DistributedOperation] {
        parts.flatMap(\.self)
    }

    /// Takes the operations of an `if` without `else`.
    public static func buildOptional(_ part: [DistributedOperation]?) -> [DistributedOperation] { part ?? [] }

    /// Takes the operations of a first branch.
    public static func buildEither(first part: [DistributedOperation]) -> [DistributedOperation] { part }

    /// Takes the operations of a second branch.
    public static func buildEither(second part: [DistributedOperation]) -> [DistributedOperation] { part }

    /// Joins the operations of a loop.
    public static func buildArray(_ parts: [[DistributedOperation]]) -> [DistributedOperation] { parts.flatMap(\.self) }

    /// Takes the operations of an `if #available`.
    public static func buildLimitedAvailability(_ part: [DistributedOperation]) -> [DistributedOperation] { part }
}
