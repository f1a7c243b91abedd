@_spi(Baton) import BatonProcesses

/// The environments of the latest works, each encoded once for all attempts that follow one another.
struct WorkEnvironments {
    /// The number of environments to keep, for jobs that take turns.
    private static let capacity = 8
    /// The most bytes of the works' variables in an environment to keep: a job may have many megabytes, which no program takes.
    static let mostBytes = 64 << 10
    private(set) var kept: [WorkEnvironment] = []
    /// The position of the environment that has been kept longest, once all positions are taken.
    private var oldest = 0

    /// Finds or encodes the environment of an attempt's work.
    ///
    /// - Throws: `LaunchFailure` for a variable that execve(2) cannot express.
    mutating func environment(
        of assigned: AssignedWork,
        _ services: AttemptServices
    ) throws(LaunchFailure) -> WorkEnvironment {
        for environment in kept where environment.serves(assigned) { return environment }
        let environment = try WorkEnvironment(of: assigned, services)
        guard environment.isLasting, environment.ownLength <= Self.mostBytes else { return environment }
        if kept.count < Self.capacity {
            kept.append(environment)
        } else {
            kept[oldest] = environment
            oldest = (oldest + 1) % Self.capacity
        }
        return environment
    }
}
