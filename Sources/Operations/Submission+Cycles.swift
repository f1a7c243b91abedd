extension Submission {
    /// The entries of one cycle, its first one again at the end; nil where there is none.
    ///
    /// What waits for a barrier of its queue, and what a barrier waits for, counts like a dependency (BA1, BA2).
    ///
    /// A depth-first search along the dependencies with a stack of its own: a chain may be of any length (DE19).
    ///
    /// - Complexity: O(entries + dependencies).
    func cycle() -> [Int]? {
        enum Mark: UInt8 { case unseen, open, done }
        let barriers = BarrierEdges(entries)
        var marks = [Mark](repeating: .unseen, count: entries.count)
        var path: [(entry: Int, next: Int)] = []
        for start in entries.indices where marks[start] == .unseen {
            if entries[start].dependencies.isEmpty && barriers == nil { continue }
            marks[start] = .open
            path.append((start, 0))
            while let (entry, next) = path.last {
                let dependencies = entries[entry].dependencies
                let target: Int?
                if next < dependencies.count {
                    if case .entry(let position) = dependencies[next].target { target = position } else { target = nil }
                } else if let awaited = barriers?.entry(awaitedBy: entry, at: next - dependencies.count) {
                    target = awaited
                } else {
                    marks[entry] = .done
                    path.removeLast()
                    continue
                }
                path[path.count - 1].next += 1
                guard let target else { continue }
                switch marks[target] {
                case .done: break
                case .unseen:
                    marks[target] = .open
                    path.append((target, 0))
                case .open:
                    let members = path.map(\.entry)
                    return members[(members.firstIndex(of: target) ?? 0)...] + [target]
                }
            }
        }
        return nil
    }
}

/// What entries wait for because of the barriers of their queues.
private struct BarrierEdges {
    /// The barrier that comes last before each entry in its queue; -1 for none.
    private var barrierBefore: [Int32]
    /// What each barrier has before it in its queue, back to the barrier before.
    private var members: [Int: [Int32]]

    /// Finds the barriers among some entries; nil where there is none.
    init?(_ entries: [Entry]) {
        guard entries.contains(where: \.isBarrier) else { return nil }
        barrierBefore = []
        barrierBefore.reserveCapacity(entries.count)
        members = [:]
        var barriers: [Int: Int32] = [:]
        var open: [Int: [Int32]] = [:]
        for (position, entry) in entries.enumerated() {
            barrierBefore.append(barriers[entry.queue] ?? -1)
            if entry.isBarrier {
                members[position] = open.removeValue(forKey: entry.queue) ?? []
                barriers[entry.queue] = Int32(position)
            } else {
                open[entry.queue, default: []].append(Int32(position))
            }
        }
    }

    /// One of the entries that an entry waits for; nil where it waits for no more than that.
    func entry(awaitedBy entry: Int, at number: Int) -> Int? {
        var number = number
        if barrierBefore[entry] >= 0 {
            if number == 0 { return Int(barrierBefore[entry]) }
            number -= 1
        }
        guard let members = members[entry], number < members.count else { return nil }
        return Int(members[number])
    }
}
