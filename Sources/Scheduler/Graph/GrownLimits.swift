@_spi(Baton) import BatonOperations

/// What the next or present attempt of an operation may use after earlier ones ran out of it (RT4).
struct GrownLimits: Sendable {
    /// The limits of the attempt.
    var limits: AttemptLimits
    /// What the attempt asks of its worker, in place of the request of the operation's template; nil for the template's.
    var request: RequestIndex?

    /// What a worker has to offer for the attempt, given what it has to offer for the first one.
    func requirement(after first: Requirement) -> Requirement {
        var requirement = first
        if let request { requirement.request = request }
        // The declared time plays no part while no worker has a time limit.
        if first.time > 0, let timeout = limits.timeout {
            requirement.time = max(first.time, Requirement.time(for: timeout))
        }
        return requirement
    }
}
