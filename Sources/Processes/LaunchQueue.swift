/// Launches that were requested and not carried out yet, first in, first out.
struct LaunchQueue {
    /// A process to start.
    struct Launch: Sendable {
        var token: UInt64
        var specification: ProcessSpecification
    }

    private var launches: [Launch] = []
    /// Launches before this index have been taken.
    private var head = 0

    var isEmpty: Bool { head == launches.count }

    mutating func append(_ launch: Launch) {
        launches.append(launch)
    }

    /// - Complexity: O(1), amortised.
    mutating func popFirst() -> Launch? {
        guard head < launches.count else { return nil }
        let launch = launches[head]
        head += 1
        if head == launches.count || head >= 64 && head * 2 >= launches.count {
            launches.removeFirst(head)
            head = 0
        }
        return launch
    }

    /// Removes a launch from any position.
    ///
    /// - Returns: whether the queue contained the launch.
    /// - Complexity: O(n); the queue rarely holds more launches than a worker has slots.
    mutating func remove(token: UInt64) -> Bool {
        guard let index = launches[head...].firstIndex(where: { $0.token == token }) else { return false }
        launches.remove(at: index)
        return true
    }
}
