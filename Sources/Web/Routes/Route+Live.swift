@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonKeys

extension Route {
    /// The most topics of a live stream.
    private static let mostTopics = 16

    /// The newest documents of what somebody looks at.
    static var ofLive: [Route] {
        [
            Route(
                .get,
                "/api/v1/live",
                """
                The newest document of each topic at once, and again when it has changed, at most four times a second: an event \
                with the topic's kind as its name. Documents in between are left out, and a slow client gets the newest. The \
                event gone says that there is no such job or operation.
                """,
                query: [
                    QueryParameter(
                        "topics",
                        .text(4_096),
                        "Up to \(mostTopics) topics with commas between them: overview, workers, queues, job:12, operation:12/3."
                    )
                ],
                answer: .events
            ) { context throws(WebRefusal) in
                let topics = try topics(in: context.query.text("topics"))
                let stream = try context.openStream()
                context.live.show(topics, in: stream, to: context.caller.holder?.key)
                return .events(stream)
            }
        ]
    }

    private static func topics(in text: String?) throws(WebRefusal) -> [LiveTopic] {
        guard let text else {
            throw WebRefusal(400, "usage", "The query needs \"topics\", such as topics=overview,job:12.")
        }
        let words = text.split(separator: ",", maxSplits: mostTopics, omittingEmptySubsequences: false)
        guard words.count <= mostTopics else {
            throw WebRefusal(
                400,
                "usage",
                "\"topics\" has more than \(mostTopics) topics. Open another stream for the rest."
            )
        }
        var topics: [LiveTopic] = []
        for word in words {
            guard let topic = LiveTopic(word) else {
                throw WebRefusal(
                    400,
                    "usage",
                    "\"\(String(word).asShown)\" in \"topics\" is not a topic. Topics are overview, workers, queues, job:12 and "
                        + "operation:12/3."
                )
            }
            guard !topics.contains(topic) else {
                throw WebRefusal(
                    400,
                    "usage",
                    "\"\(String(word).asShown)\" is in \"topics\" more than once. Give it once."
                )
            }
            topics.append(topic)
        }
        return topics
    }
}
