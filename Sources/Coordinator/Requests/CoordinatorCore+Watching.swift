@_spi(Baton) import BatonDocuments
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonScheduler
@_spi(Baton) import BatonStore
@_spi(Baton) import BatonWire
@_spi(Baton) import BatonZeroMQ

/// Serves the stream of events from the record (OB10).
///
/// No client sees an event before the event is on disk, and a client that was away continues after the last event that the
/// client knows.
extension CoordinatorCore {
    func watch(since: UInt64?, limit: UInt32, atMost time: Duration, for client: ReplyAddress) {
        let longest = Duration.seconds(60)
        let watch = WatchRegistry.Watch(
            client: client,
            since: since ?? watches.newestEvent,
            limit: min(max(Int(limit), 1), WatchRegistry.largestPage),
            deadline: now + max(.zero, min(time, longest))
        )
        guard watch.since <= scheduler.newestEvent else {
            let sentence =
                "There is no event \(watch.since) yet; the newest is \(scheduler.newestEvent). The coordinator may have a new "
                + "record, whose events are numbered anew."
            return send(.refused(Refusal(.invalid, sentence)), to: client)
        }
        if let older = watches.add(watch) { answerWithNothing(older) }
    }

    /// Answers the watches that have new events or have reached their deadlines.
    func serveWatches() {
        for watch in watches.takeDue(now: now) {
            guard watch.since < watches.newestEvent else {
                answerWithNothing(watch)
                continue
            }
            read { store throws(StoreError) in
                try store.events(after: watch.since, limit: watch.limit)
            } then: { result in
                .events(result, watch)
            }
        }
    }

    private func answerWithNothing(_ watch: WatchRegistry.Watch) {
        send(.events(EventPage(lines: [], last: watch.since)), to: watch.client)
    }

    /// Sends a client the events after the last event that the client knows.
    func answer(_ watch: WatchRegistry.Watch, with result: Result<[ClusterEvent], StoreError>) {
        watches.pageRead(for: watch.client)
        let events: [ClusterEvent]
        switch result {
        case .success(let read): events = read
        case .failure(let error): return send(.refused(Refusal(error)), to: watch.client)
        }
        var page = EventPage(lines: [], last: watch.since)
        for event in events {
            let last = event.sequence + event.count - 1
            guard last > page.last else { continue }
            if page.lines.isEmpty, event.sequence > watch.since + 1 { page.missed = event.sequence - watch.since - 1 }
            page.lines += EventDocument(event.after(watch.since)).json(for: watch.client.disclosure)
            page.lines.append(UInt8(ascii: "\n"))
            page.last = last
        }
        send(.events(page), to: watch.client)
    }
}

extension ClusterEvent {
    /// The part of an event with sequence numbers above a number.
    fileprivate func after(_ number: UInt64) -> ClusterEvent {
        guard number >= sequence, case .operations(let first, let count, let change) = subject else { return self }
        let known = UInt32(clamping: number - sequence + 1)
        let rest = OperationID(job: first.job, index: first.index + known)
        return ClusterEvent(
            sequence: number + 1,
            time: time,
            by: by,
            subject: .operations(rest, count: count - known, change)
        )
    }
}
