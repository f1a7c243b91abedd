@_spi(Baton) import BatonOperations

/// Attempts that have run, and whose files find no room within the limit of their worker, because it has to keep others (D9).
///
/// The worker goes on with all other attempts. The operation alone runs again: after a delay that grows, or once the worker may delete as
/// much as was missing; and elsewhere, if another worker is free that has not lacked room for it. No loss
/// and no failure counts, but like an operation whose workers are faulty it fails after a few such attempts.
extension Scheduler {
    /// The delay after the first attempt without room, and how often it doubles at most.
    static let firstRoomDelay = Duration.seconds(10)
    private static let mostRoomDoublings: UInt32 = 5

    /// The most files that are looked at to find whose files take the room of a worker, and the most jobs that are named.
    private static let mostFilesLookedAt = 100_000
    private static let mostJobsNamed = 3

    /// Decides what follows an attempt whose files have found no room.
    @inline(never)
    mutating func noteRoomLack(
        _ lack: RoomLack,
        of place: NodeIndex,
        at worker: WorkerIndex,
        _ context: inout TransitionContext
    ) -> Lifecycle.Event {
        attemptTotals.failed += 1
        context.dropResult()
        let reference = graph.reference(to: place)
        let earlier = files.roomLacks[reference]
        let times = (earlier?.times ?? 0) + 1
        let name = workers[worker].introduction.name
        let takers = takersOfRoom(at: worker)
        let sentence = Self.unkept(lack, at: "its worker \(name.asShown)", takers)
        if let rest = objection(toAttemptAfter: times, lack, of: place) {
            context.reason = Reason(.files, "\(sentence) \(rest)")
            return .attemptLostForGood
        }
        context.reason = Reason(.files, "\(sentence) It is tried again.")
        let time = now + Self.firstRoomDelay * (1 << Int(min(times - 1, Self.mostRoomDoublings)))
        context.retryAt = time
        let attempt = graph[place].attempt
        let present = workers.reference(to: worker)
        let others = (earlier?.avoided ?? []).filter { $0 != present && workers.resolve($0) != nil }
        let entry = RoomLacks.Entry(
            node: reference,
            times: times,
            worker: present,
            avoided: others + [present],
            sentence: "Attempt \(attempt) left \(Self.text(of: lack.wanted)), and \(Self.shares(of: lack, takers)).",
            missing: max(1, Int64(clamping: lack.missing)),
            until: time
        )
        let known = graph
        files.roomLacks.insert(entry) { known.resolve($0) != nil }
        return .attemptWithoutRoom
    }

    /// Why no other attempt follows one whose files have found no room, with what to do, in sentences; nil if one follows.
    private func objection(toAttemptAfter times: UInt32, _ lack: RoomLack, of place: NodeIndex) -> String? {
        if lack.wanted > lack.limit { return "Start a worker with a larger limit (--files-limit), or leave less." }
        let advice =
            "Make room before it runs again: delete jobs whose files nobody needs (\"baton delete\"), keep files for a shorter time "
            + "(--keep-files), or start a worker with a larger limit (--files-limit)."
        if graph.restartPolicy(at: place) == .never { return "It is never restarted. \(advice)" }
        guard times > configuration.maximumLosses else { return nil }
        return "That was so \(times) times. \(advice)"
    }

    /// Why the files of an attempt cannot be kept, as a sentence.
    static func unkept(_ lack: RoomLack, at worker: String, _ takers: String = "") -> String {
        "It left \(text(of: lack.wanted)) of files, and \(worker) has no room for them: \(shares(of: lack, takers))."
    }

    /// What a worker may keep, and how much of it is taken, as the end of a sentence.
    private static func shares(of lack: RoomLack, _ takers: String) -> String {
        "of the \(text(of: lack.limit)) that the worker may keep (--files-limit), \(text(of: lack.taken)) are taken\(takers)"
    }

    private static func text(of bytes: UInt64) -> String { ByteSize.roughText(of: Int64(clamping: bytes)) }

    /// The jobs whose files take the most room of a worker, as the end of a sentence; empty if there are none, or too many files.
    ///
    /// - Complexity: O(files of all operations), within a limit.
    private func takersOfRoom(at worker: WorkerIndex) -> String {
        let held = files.digests(at: worker)
        var left = Self.mostFilesLookedAt
        var sums: [(job: JobNumber, bytes: Int64)] = []
        for (job, sources) in files.sources {
            var seen: Set<ContentDigest> = []
            var sum: Int64 = 0
            for source in sources.values {
                left -= source.files.count
                guard left >= 0 else { return "" }
                for file in source.files where held.contains(file.digest) && seen.insert(file.digest).inserted {
                    sum = min(sum + Self.counted(file), Self.mostCounted)
                }
            }
            if sum > 0 { sums.append((job, sum)) }
        }
        let largest = sums.sorted { ($1.bytes, $0.job) < ($0.bytes, $1.job) }.prefix(Self.mostJobsNamed)
        guard !largest.isEmpty else { return "" }
        let shares = largest.map { "\(ByteSize.roughText(of: $0.bytes)) by files of job \($0.job)" }
        return ", " + shares.joined(separator: ", ")
    }

    /// A worker that could start a node at once instead of one that had no room for its files; nil if that one is the best there is.
    ///
    /// - Complexity: O(workers) for a node whose files have found no room there.
    @inline(never)
    func workerWithRoom(for first: Candidate, otherThan chosen: WorkerIndex) -> WorkerIndex? {
        guard let lack = files.roomLacks[graph.reference(to: first.node)],
            lack.avoided.contains(workers.reference(to: chosen))
        else { return nil }
        let node = graph[first.node]
        let request = first.requirement?.request.map { graph.requests[$0] }
        let bytes = bytesOfFiles(neededBy: node)
        let others = workers.indexes.filter { other in
            workers[other].failing == nil && couldStart(first.requirement, request, at: other)
                && (workers[other].mayFetch && workers[other].couldKeep(bytes) || !isToFetch(node, at: other))
                && !lack.avoided.contains(workers.reference(to: other))
        }
        return others.max { workers[$0].unusedSlots < workers[$1].unusedSlots }
    }

    /// Has operations tried again at once for whose files a worker may have room now.
    @inline(never)
    mutating func noteReleasedRoom(of digests: [ContentDigest], at worker: WorkerIndex) {
        let bytes = digests.reduce(Int64(0)) { min($0 + min(files.size(of: $1), Self.mostCounted), Self.mostCounted) }
        guard bytes > 0 else { return }
        var stale = 0
        let reference = workers.reference(to: worker)
        for entry in files.roomLacks.noteReleased(bytes, at: reference) {
            guard let place = graph.resolve(entry.node), graph[place].notBefore == entry.until, entry.until > now else {
                continue
            }
            // The end of the delay follows with the next timers: this may be in the middle of another operation's end.
            graph[place].notBefore = now
            files.roomLacks.bringForward(entry, to: now)
            timers.insert(Timer(deadline: now, purpose: .operation(entry.node)))
            stale += 1
        }
        noteStaleTimers(stale)
    }

    /// The wait of a node for room for its files; empty if it does not wait for any.
    func lackingRoom(of place: NodeIndex) -> [Impediment] {
        guard !files.roomLacks.isEmpty, let entry = files.roomLacks[graph.reference(to: place)],
            graph[place].notBefore == entry.until, let worker = workers.resolve(entry.worker)
        else { return [] }
        return [.noRoom(worker: workers[worker].introduction.name, reason: entry.sentence, others: 0)]
    }
}
