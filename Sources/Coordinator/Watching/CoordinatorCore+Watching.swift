@_spi(Baton) import BatonDocuments
@_spi(Baton) import BatonJSON
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonScheduler
@_spi(Baton) import BatonStore
@_spi(Baton) import BatonWire
@_spi(Baton) import BatonZeroMQ

/// Serves the stream of events (OB10).
///
/// No client sees an event before the event is on disk, and a client that was away continues after the last event that the
/// client knows. A client that keeps up gets its events from memory, others from the record.
extension CoordinatorCore {
    /// The number of the newest event in the record.
    var newestEvent: UInt64 { watches.newestEvent }

    func watch(
        since: UInt64?,
        limit: UInt32,
        atMost time: Duration,
        of selection: EventSelection?,
        for client: ReplyAddress
    ) {
        if let selection, selection.count > EventSelection.maximumCount {
            let sentence =
                "A watch of \(selection.count) operations, jobs and queues is too large: at most "
                + "\(EventSelection.maximumCount) are allowed. Select whole jobs or queues, or watch all events."
            return send(.refused(Refusal(.invalid, sentence)), to: client)
        }
        if since == nil, selection == nil, time <= .zero {
            // The question for the newest event alone: nobody watches, and nothing is kept for a watch.
            return send(.events(EventPage(lines: [], last: watches.newestEvent)), to: client)
        }
        let longest = Duration.seconds(60)
        let since = since ?? watches.newestEvent
        guard since <= scheduler.newestEvent else {
            let sentence =
                "There is no event \(since) yet; the newest is \(scheduler.newestEvent). The coordinator may have a new "
                + "record, whose events are numbered anew."
            return send(.refused(Refusal(.invalid, sentence)), to: client)
        }
        let watch = WatchRegistry.Watch(
            client: client,
            since: since,
            limit: min(max(Int(limit), 1), WatchRegistry.largestPage),
            deadline: now + max(.zero, min(time, longest)),
            filter: selection.map { watches.filter(for: $0, of: client.peer) }
        )
        begin(watch)
    }

    private func begin(_ watch: WatchRegistry.Watch) {
        if let older = watches.add(watch, emitted: scheduler.newestEvent, now: now) { answerWithNothing(older) }
    }

    /// Answers the watches that have events on disk or have reached their deadlines, and reads on for those that are behind.
    func serveWatches() {
        let newest = watches.newestEvent
        for due in watches.takeDue(now: now) {
            switch due {
            case .page(let watch):
                send(.events(EventPage(watches.page(for: watch), for: watch.client.disclosure)), to: watch.client)
            case .over(let watch): answerWithNothing(watch)
            case .read(let watch):
                // The page is written beside the loop: clients that want old events cost the others nothing here.
                readBeside { store throws(StoreError) in
                    let events = try ExaminedEvents(of: watch, newest: newest, in: store)
                    return EventPage(events, for: watch.client.disclosure)
                } then: { result in
                    .events(result, watch)
                }
            }
        }
    }

    private func answerWithNothing(_ watch: WatchRegistry.Watch) {
        send(.events(EventPage(lines: [], last: watch.filter == nil ? watch.since : watch.examined)), to: watch.client)
    }

    /// Sends a client the events that were read for it, or reads on if none of them is selected.
    func answer(_ watch: WatchRegistry.Watch, with result: Result<EventPage, StoreError>) {
        watches.pageRead(for: watch.client)
        let page: EventPage
        switch result {
        case .success(let read): page = read
        case .failure(let error): return send(.refused(Refusal(error)), to: watch.client)
        }
        let isEmpty = page.lines.isEmpty && page.missed == 0
        guard isEmpty, watch.filter != nil, watch.deadline > now else { return send(.events(page), to: watch.client) }
        var rest = watch
        rest.examined = page.last
        if watches.isReplaced(watch) { answerWithNothing(rest) } else { begin(rest) }
    }
}

extension EventPage {
    /// Writes the documents of events, for a client that may see so much of them.
    fileprivate init(_ events: ExaminedEvents, for disclosure: Disclosure) {
        var writer = JSONWriter()
        for event in events.events {
            EventDocument(event).write(to: &writer, for: disclosure)
            writer.endLine()
        }
        self.init(lines: writer.bytes, last: events.last, missed: events.missed)
    }
}
