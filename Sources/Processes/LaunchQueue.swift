/// Launches that were asked for and not carried out yet, first in, first out.
struct LaunchQueue {
    /// A process to start.
    struct Launch: Sendable {
        var token: UInt64
        var specification: ProcessSpecification
    }

    private var launches: [Launch] = []
    /// Those before it have been taken.
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

    /// Takes one out, wherever it is.
    ///
    /// - Returns: whether it was there.
    /// - Complexity: O(n); there are hardly more than a worker has slots.
    mutating func remove(token: UInt64) -> Bool {
        guard let index = launches[head...].firstIndex(where: { $0.token == token }) else { return false }
        launches.remove(at: index)
        return true
    }
}
