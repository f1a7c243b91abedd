/// Launches that were requested and not carried out yet, first in, first out.
struct LaunchQueue {
    /// A process to start.
    struct Launch: Sendable {
        var token: UInt64
        var specification: ProcessSpecification
        /// Whether no other process is started before it is known whether the program of this one was executed.
        var settlesAtOnce = false
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
        if head == launches.count - 1 {
            // The last launch, which mostly is the only one, is moved and not copied.
            defer { launches.removeAll(keepingCapacity: true) }
            head = 0
            return launches.removeLast()
        }
        let launch = launches[head]
        head += 1
        if head >= 64 && head * 2 >= launches.count {
            launches.removeFirst(head)
            head = 0
        }
        return launch
    }

    /// Removes a launch from any position.
    ///
    /// - Returns: the launch; nil if the queue did not contain it.
    /// - Complexity: O(n); the queue rarely holds more launches than a worker has slots.
    mutating func remove(token: UInt64) -> Launch? {
        launches[head...].firstIndex { $0.token == token }.map { launches.remove(at: $0) }
    }
}
