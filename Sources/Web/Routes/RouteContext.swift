@_spi(Baton) import BatonKeys
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWire

/// What a route answers: a request with its values, and the connection to the coordinator.
struct RouteContext: Sendable {
    /// The route.
    let route: Route
    /// The request.
    let request: HTTPRequest
    /// Who asks.
    let caller: WebCaller
    /// The items of the query.
    let query: RouteQuery
    /// The values of the path.
    let values: [RouteValue: String]
    /// The connection to the coordinator.
    let connection: any WebConnection
    /// What the web interface has answered.
    let metrics: HTTPMetrics
    /// What requests about the histories of jobs share.
    let history: HistoryResources
    /// The live streams.
    let live: LiveBoard
    /// Reads the graphs that are submitted.
    let graphs: GraphReader
    /// Knows the tokens.
    let access: RequestGuard

    /// Whether the caller's token has not been revoked since the request.
    var isAdmitted: Bool { access.admits(caller) }

    /// Asks the coordinator.
    ///
    /// - Throws: the coordinator's refusal, or one with 503 while the coordinator is ending.
    func ask(_ request: Request) async throws(WebRefusal) -> Reply {
        switch await connection.ask(request) {
        case .refused(let refusal)?: throw WebRefusal(refusal)
        case let reply?: return reply
        case nil: throw .noAnswer
        }
    }

    /// A document of the coordinator.
    func document(_ request: DocumentRequest) async throws(WebRefusal) -> [UInt8] {
        guard case .document(let bytes) = try await ask(.document(request)) else { throw .unexpected }
        return bytes
    }

    /// The number of the newest event in the record; what is asked for later knows of it.
    var newestEvent: UInt64 { connection.newestEvent }

    /// A stream for the answer.
    ///
    /// - Throws: a refusal with 503 if too many are open.
    func openStream() throws(WebRefusal) -> HTTPStream {
        guard let stream = request.openStream() else {
            throw WebRefusal(
                503,
                "unavailable",
                "Too many streams are open. Try again later.",
                headers: ["Retry-After": "10"]
            )
        }
        return stream
    }

    /// The value of a header; nil if the request has none.
    ///
    /// - Throws: a refusal with 400 of a header that the request has more than once.
    func header(_ header: RouteHeader) throws(WebRefusal) -> String? {
        let values = request.head.headers.values(of: header.name)
        guard values.count <= 1 else {
            throw WebRefusal(400, "usage", "The request has the header \(header.name) more than once. Give it once.")
        }
        return values.first
    }

    /// The members of the body.
    ///
    /// - Throws: a refusal with 400 of a body that is not what the route takes.
    func body() throws(WebRefusal) -> RequestBody {
        guard case .members(let members, let least) = route.body else { throw .unexpected }
        return try RequestBody(request.body, members, least: least)
    }

    /// The key that makes a repeated request safe; nil if the request has none.
    ///
    /// - Throws: a refusal with 400 of a text that cannot be a key.
    var idempotencyKey: String? {
        get throws(WebRefusal) {
            guard let key = try header(.idempotencyKey) else { return nil }
            // Bytes that are not UTF-8 were replaced, by which different keys would become one.
            guard !key.unicodeScalars.contains("\u{FFFD}") else {
                throw WebRefusal(400, "usage", "The header Idempotency-Key is not allowed: it is not UTF-8.")
            }
            if let objection = Name.objection(toKey: key) {
                throw WebRefusal(400, "usage", "The header Idempotency-Key is not allowed: \(objection).")
            }
            return key
        }
    }

    /// The job in the path.
    var job: JobNumber {
        get throws(WebRefusal) {
            let text = values[.job] ?? ""
            guard case .job(let job)? = Address(text), job.description == text else {
                throw WebRefusal(404, "notFound", "There is no job \(text.asShown): jobs have numbers.")
            }
            return job
        }
    }

    /// The operation in the path.
    var operation: Address {
        get throws(WebRefusal) {
            let job = try job
            let name = values[.operation] ?? ""
            switch Address("\(job)/\(name)") {
            case .operation(let id)?: return .operation(id)
            case .named(let job, let name)?: return .named(job, name)
            default: throw WebRefusal(404, "notFound", "There is no operation \(job)/\(name.asShown).")
            }
        }
    }

    /// The name in the path.
    func name(_ value: RouteValue) throws(WebRefusal) -> String {
        let text = Name.normalized(values[value] ?? "")
        guard Name.isValid(text) else {
            throw WebRefusal(404, "notFound", "There is no \(value.rawValue) \(text.asShown).")
        }
        return text
    }
}

extension WebRefusal {
    /// No answer of the coordinator.
    static let noAnswer = WebRefusal(
        503,
        "unavailable",
        "The coordinator is ending, or the token was revoked meanwhile."
    )

    /// An answer of the coordinator that does not fit the question: a fault of Baton's own.
    static let unexpected = WebRefusal(
        500,
        "fault",
        "The coordinator has answered another question. This is a fault of Baton."
    )
}
