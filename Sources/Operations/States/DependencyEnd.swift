/// The end of a dependency that is finished and gone from the scheduler's memory.
@_spi(Baton) public struct DependencyEnd: Hashable, Sendable {
    /// How the dependency ended; for a job, its outcome with the root of the outcome (DE25).
    public var ending: Ending
    /// Whether the operation, or any operation of the job, left a result.
    public var hasResult: Bool
    /// Whether the operation, or any operation of the job, left files.
    public var hasFiles: Bool
    /// Whether the end is that of several neighbours, each of which has a root as far from that of the first as it is from the first.
    public var followsOperation: Bool

    /// Describes a finished dependency.
    public init(
        _ ending: Ending,
        hasResult: Bool = false,
        hasFiles: Bool = false,
        followsOperation: Bool = false
    ) {
        self.ending = ending
        self.hasResult = hasResult
        self.hasFiles = hasFiles
        self.followsOperation = followsOperation
    }

    /// The end of an operation behind the first one of several neighbours.
    public func after(_ distance: UInt32) -> DependencyEnd {
        guard followsOperation, distance > 0 else { return self }
        var end = self
        end.ending = ending.after(distance)
        return end
    }

    /// The same end with another root; the end itself if it has no root.
    public func rooted(at root: OperationID) -> DependencyEnd {
        switch ending {
        case .succeeded, .notNeeded: self
        case .failed: DependencyEnd(.failed(root), hasResult: hasResult, hasFiles: hasFiles)
        case .cancelled: DependencyEnd(.cancelled(root), hasResult: hasResult, hasFiles: hasFiles)
        }
    }
}

@_spi(Baton) extension DependencyEnd {
    /// Describes a finished array by the number of its elements with each kind of end (DE25).
    ///
    /// - Parameters:
    ///   - count: the number of elements.
    ///   - fates: how many elements ended in each way; the result is nil unless the numbers add up to `count`.
    public init?(ofArray count: Int, _ fates: [DependencyEnd: Int]) {
        guard fates.values.reduce(0, +) == count else { return nil }
        let hasResult = fates.keys.contains(where: \.hasResult)
        let hasFiles = fates.keys.contains(where: \.hasFiles)
        let endings = fates.keys.map(\.ending)
        let failures = endings.filter(\.isFailure).compactMap(\.root)
        if let root = failures.min() {
            self.init(.failed(root), hasResult: hasResult, hasFiles: hasFiles)
        } else if let root = endings.compactMap(\.root).min() {
            self.init(.cancelled(root), hasResult: hasResult, hasFiles: hasFiles)
        } else {
            self.init(
                endings.contains(.succeeded) ? .succeeded : .notNeeded,
                hasResult: hasResult,
                hasFiles: hasFiles
            )
        }
    }
}
