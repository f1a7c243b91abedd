@_spi(Baton) import BatonOperations

extension Route {
    /// The search by address and by name.
    static var ofSearch: [Route] {
        [
            Route(
                "/api/v1/search",
                """
                Jobs, operations, queues and workers: by address, jobs, queues and workers with a text in their names, and \
                operations of the \(Search.mostJobs) newest jobs, or with 12/text of that job, whose names start with it. There \
                are up to \(Search.mostOfKind) of a kind, and "more" says that there are others, or may be, as in older jobs. Case counts.
                """,
                query: [
                    // An address of the greatest job and the longest name.
                    QueryParameter("q", .text(Name.maximumLength + 11), "The address, or the text to look for.")
                ],
                aging: AnswerDocument(SearchDocument.self)
            ) { context throws(WebRefusal) in
                guard let text = context.query.text("q") else {
                    throw WebRefusal(400, "usage", "The query needs \"q\", an address or a text to look for.")
                }
                var search = Search(for: text, with: context)
                return try await search.json()
            }
        ]
    }
}
