/// When which worker acts next, in steps of the simulated clock.
///
/// Owns one moment of each worker; an earlier moment takes the place of a later one.
struct Agenda {
    /// The workers by step; a worker may also be at steps that do not count any more.
    private var due: [Int: [Int]] = [:]
    /// The step of each worker; `Int.max` for none.
    private var steps: [Int]

    /// Begins without any moment.
    init(workers: Int) {
        steps = Array(repeating: .max, count: workers)
    }

    /// Has a worker act at a step, or at an earlier one that is planned already.
    mutating func plan(_ worker: Int, at step: Int) {
        guard step < steps[worker] else { return }
        steps[worker] = step
        due[step, default: []].append(worker)
    }

    /// Takes the workers of a step, in the order of the plans; call it for each step.
    mutating func take(_ step: Int) -> [Int] {
        guard let workers = due.removeValue(forKey: step) else { return [] }
        return workers.filter { worker in
            guard steps[worker] == step else { return false }
            steps[worker] = .max
            return true
        }
    }
}
