extension Submission {
    /// Refuses a submission whose dependencies form a cycle (DE16).
    ///
    /// - Throws: ``Refusal`` with the code `cycle` and the path.
    /// - Complexity: O(entries + dependencies).
    func refuseCycle() throws(Refusal) {
        guard let path = cycle() else { return }
        let names = path.map { label(ofEntry: $0) }
        throw Refusal(
            .cycle,
            "The dependencies form a cycle, in which each waits for the next: \(Refusal.text(ofPath: names)). "
                + "Remove one of them.",
            path: names
        )
    }

    /// Returns the entries of one cycle, with the first entry again at the end; nil if there is no cycle.
    ///
    /// The waits before and after a barrier of a queue count like dependencies (BA1, BA2).
    ///
    /// The depth-first search along the dependencies uses its own stack, because a chain may have any length (DE19).
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

/// The waits of entries that result from barriers of their queues.
private struct BarrierEdges {
    /// For each entry, the last barrier before it in its queue; -1 for none.
    private var barrierBefore: [Int32]
    /// For each barrier, the entries before it in its queue, back to the previous barrier.
    private var members: [Int: [Int32]]

    /// Finds the barriers among some entries; nil if there are none.
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

    /// Returns one of the entries that an entry waits for; nil for a number beyond them.
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
