public import BatonOperations

/// A worker as others see it.
public struct WorkerView: Hashable, Sendable {
    /// The worker's name.
    public var name: String
    /// The host that it runs on.
    public var host: String
    /// Its process id there.
    public var processID: Int32
    /// What has become of it.
    public var condition: WorkerCondition
    /// Why it cannot start attempts; nil while it can.
    public var fault: String?
    /// How many attempts it runs at once.
    public var slots: Int
    /// How many it runs now.
    public var executing: Int
    /// The types of Swift operations that it runs.
    public var types: [String]
    /// Whether it was there before the coordinator was restarted and has not come back since.
    public var isAbsent: Bool
}
