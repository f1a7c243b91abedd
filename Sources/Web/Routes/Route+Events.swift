@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWire

extension Route {
    /// The events of the cluster, without a loss.
    static var ofEvents: [Route] {
        [
            Route(
                .get,
                "/api/v1/events",
                """
                The events of the cluster in order, none missing and none twice, also over a restart of the coordinator. The header \
                Last-Event-ID counts before the query; without both, the events begin now.
                """,
                query: [
                    QueryParameter("since", .integer(0...UInt64.max), "The number of the last event that is known."),
                    QueryParameter("job", .integer(1...UInt64(UInt32.max)), "Events of this job alone."),
                ],
                headers: [.lastEventID],
                answer: .events
            ) { context throws(WebRefusal) in
                var since = context.query.number("since")
                if let last = try context.header(.lastEventID) {
                    guard let number = UInt64(last) else {
                        throw WebRefusal(400, "usage", "The header Last-Event-ID has to be the number of an event.")
                    }
                    since = number
                }
                let job = context.query.number("job").map { JobNumber(UInt32(clamping: $0)) }
                // A watch for a job that does not exist would wait for ever.
                if let job { _ = try await context.ask(JobHeader.request(for: job)) }
                return try await EventStream.response(to: context, since: since ?? context.newestEvent, of: job)
            }
        ]
    }
}
