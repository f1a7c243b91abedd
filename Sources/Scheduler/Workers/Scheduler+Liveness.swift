@_spi(Baton) public import BatonOperations

/// The judgement of silent workers: suspect, then lost (D7).
@_spi(Baton) extension Scheduler {
    /// Sets the time at which a worker's silence is judged next.
    mutating func watch(_ place: WorkerIndex, until time: Timestamp) {
        guard workers[timesOf: place].judgedAt != time else { return }
        let isReplaced = workers[timesOf: place].judgedAt != nil
        workers[timesOf: place].judgedAt = time
        timers.insert(Timer(deadline: time, purpose: .worker(workers.reference(to: place))))
        if isReplaced { noteStaleTimers() }
    }

    /// Judges the silence of a worker in two stages, suspect and lost; any traffic ends the silence.
    mutating func judgeLiveness(of place: WorkerIndex) {
        workers[timesOf: place].judgedAt = nil
        let worker = workers[place]
        let suspectAt = worker.times.lastHeard + configuration.suspectAfter
        let lostAt = worker.times.lastHeard + configuration.lostAfter
        if now < suspectAt {
            watch(place, until: suspectAt)
        } else if now < lostAt, worker.condition == .suspect {
            // Bytes have arrived since, but not lately.
            watch(place, until: lostAt)
        } else if now < lostAt {
            workers.change(place) { $0.condition = .suspect }
            forgetPrefetched(of: place)
            withdrawCopies(from: place)
            // Without an alive worker, drained workers take the completion hooks.
            hooks.isBlocked = false
            report(.suspect, of: worker.introduction.name)
            watch(place, until: lostAt)
        } else {
            workers.change(place) { $0.condition = .lost }
            workers.endSession(of: place)
            emit(.commit(.worker(worker.introduction.name, nil)))
            report(.lost, of: worker.introduction.name)
            for (_, node) in worker.attempts.sorted(by: { $0.key < $1.key }) {
                lose(node, with: worker.introduction.name)
            }
            for (_, hook) in worker.hooks.sorted(by: { $0.key < $1.key }) { requeueHook(hook) }
            loseFiles(of: place)
            _ = requests.takeMessage(to: place)
            if let time = configuration.forgetLostAfter {
                workers[timesOf: place].forgottenAt = now + time
                timers.insert(Timer(deadline: now + time, purpose: .lostWorker(workers.reference(to: place))))
            }
        }
    }

    /// Removes a worker from the list that was lost long ago, when its timer is due.
    mutating func forgetLost(_ place: WorkerIndex) {
        workers[timesOf: place].forgottenAt = nil
        removeLost(place)
    }

    /// Removes a lost worker from the list, which is an event.
    ///
    /// The loss has taken the worker's attempts and hooks back, so that none is left to resolve. A drain outlives the removal: an
    /// administrator ends it.
    mutating func removeLost(_ place: WorkerIndex) {
        let name = workers[place].introduction.name
        forget(place)
        note(.workerRequest(name, .forget))
    }

    /// The present workers whose silence has consequences now, by session, with the times of their last signs of life.
    ///
    /// A long message takes as long as its line needs. Before time passes, tell of the bytes of these sessions that have arrived
    /// since, with the event `workerBytesArrived`.
    ///
    /// - Complexity: O(due timers).
    public func silentSessions(at now: Timestamp) -> [(session: SessionID, lastHeard: Timestamp)] {
        timers.due(at: now).compactMap { timer in
            guard case .worker(let reference) = timer.purpose, isCurrent(timer),
                let place = workers.resolve(reference), !workers[place].isAbsent
            else { return nil }
            let lastHeard = workers[timesOf: place].lastHeard
            guard lastHeard + configuration.suspectAfter <= now else { return nil }
            return (workers[place].introduction.session, lastHeard)
        }
    }

    /// Takes in that bytes of a worker have arrived, of a message that is not whole yet.
    ///
    /// A suspect worker stays suspect if it has been silent for long again since then.
    mutating func workerBytesArrived(_ session: SessionID, at time: Timestamp) {
        let time = min(time, now)
        guard let place = workers.index(ofSession: session), workers[timesOf: place].lastHeard < time else { return }
        if now < time + configuration.suspectAfter {
            noteSignOfLife(of: place, at: time)
        } else {
            workers[timesOf: place].lastHeard = time
        }
    }

    /// Stops making nodes wait for attempts that a silent worker was sent ahead: the worker may never answer.
    private mutating func forgetPrefetched(of place: WorkerIndex) {
        for token in workers[place].sent.suffix(.max) {
            guard let node = workers[place].attempts[token], graph[node].isPrefetched else { continue }
            let prefetched = graph[node]
            queues[prefetched.queue].forgetPrefetched(prefetched)
            graph[node].isPrefetched = false
        }
        workers.change(place) { $0.prefetchedCount = 0 }
    }
}
