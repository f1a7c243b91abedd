@_spi(Baton) import BatonJSON

/// A route: an address of the interface with a method, and what it answers.
///
/// The router and the description of the interface are made of the same routes.
struct Route: Sendable {
    /// The methods that routes have; HEAD is answered like GET.
    enum Method: String, CaseIterable, Sendable {
        case get = "GET"
        case post = "POST"
        case patch = "PATCH"
    }

    /// What an answer consists of.
    enum Answer: Hashable, Sendable {
        /// A document of JSON.
        case json
        /// A plain text.
        case text
        /// Bytes of any kind.
        case bytes
        /// Server-sent events.
        case events
        /// A graph for graphviz.
        case dot
        /// A picture.
        case svg
        /// The page for people.
        case page
        /// A file of the page, of any type.
        case file

        /// The media type.
        var type: String {
            switch self {
            case .json: "application/json"
            case .text: "text/plain; charset=utf-8"
            case .bytes: "application/octet-stream"
            case .events: "text/event-stream"
            case .dot: "text/vnd.graphviz; charset=utf-8"
            case .svg: "image/svg+xml"
            case .page: "text/html; charset=utf-8"
            case .file: "*/*"
            }
        }
    }

    /// Who may ask.
    enum Audience: Hashable, Sendable {
        /// Everybody, with any `Host`: supervisors do not send a name of the server.
        case everybody
        /// Everybody without a token, if `Host` is a name of the server: the answer has no data of the cluster.
        case visitors
        /// Holders of a token that may read, or may act if the route acts.
        case admitted
    }

    /// The method.
    let method: Method
    /// The path.
    let path: RoutePath
    /// What the route answers, in a sentence.
    let summary: String
    /// The items of the query that the route takes.
    var query: [QueryParameter] = []
    /// The headers that the route takes.
    var headers: [RouteHeader] = []
    /// The body that the route takes if it acts.
    var body = RouteBody.members([])
    /// What the answer consists of.
    var answer = Answer.json
    /// The document that the answer is; nil for an answer that is no JSON.
    var document: AnswerDocument?
    /// The headers that each answer has which is no refusal, besides those of every answer.
    var answerHeaders: [RouteHeader] = []
    /// Who may ask.
    var audience = Audience.admitted
    /// The status of an answer that is no refusal.
    var success = "200"
    /// Answers a request.
    let respond: @Sendable (RouteContext) async throws(WebRefusal) -> HTTPResponse

    init(
        _ method: Method,
        _ path: StaticString,
        _ summary: String,
        query: [QueryParameter] = [],
        headers: [RouteHeader] = [],
        body: RouteBody = .members([]),
        answer: Answer = .json,
        document: AnswerDocument? = nil,
        answerHeaders: [RouteHeader] = [],
        audience: Audience = .admitted,
        success: String = "200",
        respond: @escaping @Sendable (RouteContext) async throws(WebRefusal) -> HTTPResponse
    ) {
        self.method = method
        self.path = RoutePath(path)
        self.summary = summary
        self.query = query
        self.headers = headers
        self.body = body
        self.answer = answer
        self.document = document
        self.answerHeaders = answerHeaders
        self.audience = audience
        self.success = success
        self.respond = respond
    }

    /// A route that reads a document which ages: the document has the number of the newest event that it knows of.
    init(
        _ path: StaticString,
        _ summary: String,
        query: [QueryParameter] = [],
        aging document: AnswerDocument,
        read: @escaping @Sendable (RouteContext) async throws(WebRefusal) -> [UInt8]
    ) {
        self.init(.get, path, summary, query: query, document: document.aging) { context throws(WebRefusal) in
            // Before the document is read, which then misses nothing up to this event.
            let newest = context.newestEvent
            return .json(try await read(context).withMembers { $0.member("seq", newest) })
        }
    }

    /// Whether the route changes something.
    var isActing: Bool { method != .get }

    /// What an answer with 206 has, in a sentence; nil if the route gives no such answer.
    var partDescription: String? {
        if answerHeaders.contains(.logOffset) { return "The piece behind bytes that are gone." }
        return answerHeaders.contains(.acceptRanges) ? "The part that the header Range names." : nil
    }

    /// Whether the query may have any items: those of the page's addresses are its script's own.
    var takesAnyQuery: Bool { answer == .page }
}
