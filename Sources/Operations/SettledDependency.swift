/// What has become of a dependency that is finished and gone from the scheduler's memory.
public struct SettledDependency: Hashable, Sendable {
    /// How it ended; of a job, its outcome with the root of it (DE25).
    public var ending: Ending
    /// Whether it, or any of a job's operations, left a result.
    public var hasResult: Bool

    /// Describes a finished dependency.
    public init(_ ending: Ending, hasResult: Bool = false) {
        self.ending = ending
        self.hasResult = hasResult
    }
}

extension SettledDependency {
    /// Describes a finished array by how many of its elements fared how (DE25).
    ///
    /// - Parameters:
    ///   - count: how many elements it has.
    ///   - fates: how many of them ended in which way; nil comes of it where these are not all.
    public init?(ofArray count: Int, _ fates: [SettledDependency: Int]) {
        guard fates.values.reduce(0, +) == count else { return nil }
        let hasResult = fates.keys.contains(where: \.hasResult)
        let endings = fates.keys.map(\.ending)
        let failures = endings.filter(\.isFailure).compactMap(\.root)
        if let root = failures.min() {
            self.init(.failed(root), hasResult: hasResult)
        } else if let root = endings.compactMap(\.root).min() {
            self.init(.cancelled(root), hasResult: hasResult)
        } else {
            self.init(endings.contains(.succeeded) ? .succeeded : .notNeeded, hasResult: hasResult)
        }
    }
}
